/** The section `cluster` of the file: what it may say, and each mistake with its place. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { isNodeName } from "../bus/names.ts";
import { nodeName } from "./cluster-schema.ts";
import { parseConfig, reference } from "./load.ts";
import { checkFileForm } from "./schema.ts";
import type { ClusterConfig } from "./types.ts";

const NO_NODE =
  'expected the name of a node, such as "garage": lower-case letters, digits, - and _, up to 32 characters, with a letter or digit at both ends';

describe("the section cluster", () => {
  it("has a prefix, and nothing else unless given", () => {
    assert.deepEqual(accepted({}), { prefix: "zaguan" });
  });

  it("may say all there is, with paths from the folder of the file", () => {
    const form = {
      database: "postgres://db/x",
      nats: "nats://me:secret@a:4222,tls://b",
      node: "garage",
      prefix: "home.zaguan",
      secretFile: "cluster.secret",
      natsCredsFile: "/etc/nats/zaguan.creds",
      natsTls: { ca: "certs/ca.pem", cert: "./cert.pem" },
    };
    assert.deepEqual(accepted(form), {
      ...form,
      secretFile: "/srv/hub/cluster.secret",
      natsTls: { ca: "/srv/hub/certs/ca.pem", cert: "/srv/hub/cert.pem" },
    });
    assert.deepEqual(accepted({ natsNkeyFile: "nkey" }), { prefix: "zaguan", natsNkeyFile: "/srv/hub/nkey" });
  });

  it("takes variables of the environment, also as the name of the node", () => {
    const text = JSON.stringify({ cluster: { node: reference("HOST_NAME"), nats: `nats://${reference("TOKEN")}@a` } });
    const { cluster } = parseConfig(text, "zaguan.json", { HOST_NAME: "attic", TOKEN: "t0ken" });
    assert.deepEqual([cluster.node, cluster.nats], ["attic", "nats://t0ken@a"]);
    assert.throws(() => parseConfig(text, "zaguan.json", { HOST_NAME: "Attic", TOKEN: "t0ken" }), {
      message: `zaguan.json: cluster.node: ${NO_NODE}`,
    });
  });

  const wrong: readonly (readonly [object, string])[] = [
    [{ nats: "" }, "cluster.nats: must not be empty"],
    [{ nats: ["nats://a"] }, "cluster.nats: expected a text, found a list"],
    [{ node: "Garage" }, `cluster.node: ${NO_NODE}`],
    [{ node: "" }, `cluster.node: ${NO_NODE}`],
    [{ node: 1 }, "cluster.node: expected a text, found a number"],
    [{ prefix: "" }, "cluster.prefix: must not be empty"],
    [{ secretFile: "" }, "cluster.secretFile: must not be empty"],
    [{ secret: "x" }, 'cluster.secret: unknown key "secret"'],
    [{ natsTls: { cacert: "x" } }, 'cluster.natsTls.cacert: unknown key "cacert" (did you mean "cert"?)'],
    [
      { natsCredsFile: "a", natsNkeyFile: "b" },
      "cluster.natsNkeyFile: cannot be combined with natsCredsFile; keep one of them",
    ],
  ];
  for (const [form, line] of wrong) {
    it(`is refused with ${JSON.stringify(form)}`, () => assert.deepEqual(refused(form), [line]));
  }
});

describe("the name of a node", () => {
  it("is the same in the file and on the bus", () => {
    const names = fc.oneof(fc.string({ maxLength: 40 }), fc.stringMatching(/^[a-zA-Z0-9_-]{0,34}$/));
    fc.assert(fc.property(names, (name) => nodeName.safeParse(name).success === isNodeName(name)));
  });
});

function accepted(cluster: object): ClusterConfig {
  const checked = checkFileForm({ cluster }, "/srv/hub");
  return "config" in checked ? checked.config.cluster : assert.fail(JSON.stringify(checked.problems));
}

function refused(cluster: object): string[] {
  const checked = checkFileForm({ cluster });
  if ("config" in checked) assert.fail("was accepted");
  return checked.problems.map(({ path, text }) => `${path}: ${text}`);
}
