/** How a hub becomes a node: whose word counts, and every wrong setting as one line without a secret in it. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { ClusterSecret } from "../../bus/cluster-secret.ts";
import { isNodeName } from "../../bus/names.ts";
import { ConfigError } from "../../config/config-error.ts";
import { resolveServeOptions } from "../../config/env.ts";
import { parseConfig } from "../../config/load.ts";
import type { ZaguanConfig } from "../../config/types.ts";
import { changedSettings, clusterSettings, nodeNameOf } from "./settings.ts";

const SECRET = "Zq3vT8mK1xR6wB9nD4sF7hJ2pL5cY0gA";
const SECRET_ADVICE = "at least 32 random characters are needed, such as `openssl rand -base64 32` prints";
const ADDRESS_FORM = "expected nats://host:4222 or tls://host:4222, several with commas between them";
const NODE_FORM =
  'use lower-case letters, digits, - and _, up to 32 characters, with a letter or digit at both ends, such as "garage"';

const folder = mkdtempSync(join(tmpdir(), "zaguan-cluster-"));
after(() => rmSync(folder, { recursive: true }));

interface Given {
  readonly flags?: Parameters<typeof resolveServeOptions>[0];
  readonly env?: Readonly<Record<string, string>>;
  readonly cluster?: object;
}

const configOf = (cluster: object): ZaguanConfig =>
  parseConfig(JSON.stringify({ cluster }), join(folder, "zaguan.json"), {});

/** As `zaguan serve` reads them; the secret is in the environment unless said otherwise. */
function settings({ flags = {}, env = { ZAGUAN_CLUSTER_SECRET: SECRET }, cluster = {} }: Given) {
  return clusterSettings(resolveServeOptions(flags, env), configOf(cluster), env);
}

const BOTH = { database: "postgres://db/x", nats: "nats://a" };

describe("the settings of a node", () => {
  it("are none without NATS, whatever else is said", async () => {
    assert.equal(await settings({}), undefined);
    const flags = { database: "postgres://db/x", node: "Not A Name" };
    assert.equal(await settings({ flags, env: {}, cluster: { prefix: "not a prefix" } }), undefined);
  });

  it("are those of the bus, with a secret and defaults", async () => {
    const found = await settings({ flags: BOTH });
    assert.ok(found);
    const { secrets, ...bus } = found.bus;
    assert.ok(secrets.length === 1 && secrets[0] instanceof ClusterSecret);
    const node = nodeNameOf(hostname());
    const nats = { servers: "nats://a", credsFile: undefined, nkeyFile: undefined, tls: undefined };
    assert.deepEqual({ node: found.node, bus }, { node, bus: { node, nats, prefix: "zaguan" } });
  });

  it("are taken from the option, then from the variable, then from the file", async () => {
    const cluster = { ...BOTH, node: "from-file" };
    const env = { ZAGUAN_CLUSTER_SECRET: SECRET, ZAGUAN_NATS: "nats://b", ZAGUAN_NODE: "from-variable" };
    const flags = { nats: "nats://c", node: "from-option" };
    const all = [
      await settings({ cluster }),
      await settings({ cluster, env }),
      await settings({ cluster, env, flags }),
    ];
    assert.deepEqual(
      all.map((found) => [found?.node, found?.bus.node, found?.bus.nats.servers]),
      [
        ["from-file", "from-file", "nats://a"],
        ["from-variable", "from-variable", "nats://b"],
        ["from-option", "from-option", "nats://c"],
      ],
    );
  });

  it("have the file's prefix, files and certificates", async () => {
    const secretFile = join(folder, "cluster.secret");
    writeFileSync(secretFile, `${SECRET}\nb7d2f0c94e8a1635720fd9ce48ab136c5e02f7d8\n`, { mode: 0o600 });
    const files = { secretFile: "cluster.secret", natsCredsFile: "zaguan.creds", natsTls: { ca: "ca.pem" } };
    const found = await settings({ env: {}, cluster: { ...BOTH, prefix: "home.zaguan", ...files } });
    assert.equal(found?.bus.secrets.length, 2);
    assert.equal(found?.bus.prefix, "home.zaguan");
    assert.deepEqual(found?.bus.nats, {
      servers: "nats://a",
      credsFile: join(folder, "zaguan.creds"),
      nkeyFile: undefined,
      tls: { ca: join(folder, "ca.pem") },
    });
    const withNkey = await settings({ cluster: { ...BOTH, natsNkeyFile: "nkey" } });
    assert.equal(withNkey?.bus.nats.nkeyFile, join(folder, "nkey"));
  });
});

describe("a hub is no node, and says so in one line, with", () => {
  const secretless = (secret: string, rest: object = {}): Given => {
    return { cluster: BOTH, env: { ZAGUAN_CLUSTER_SECRET: secret }, ...rest };
  };
  const wrong: Readonly<Record<string, readonly [Given, string]>> = {
    "NATS and no database": [
      { flags: { nats: "nats://a" } },
      "A cluster needs a database that all its nodes share: name it with --database, ZAGUAN_DATABASE or cluster.database, or start without NATS",
    ],
    "no address in the option": [{ flags: { ...BOTH, nats: " , " } }, `No address of NATS is given: ${ADDRESS_FORM}`],
    "an address of something else": [
      { cluster: { ...BOTH, nats: "nats://me:hush@a,http://b" } },
      `The address of NATS is not valid: ${ADDRESS_FORM}`,
    ],
    "credentials that cannot be read": [
      { cluster: { ...BOTH, nats: "nats://hush%@a" } },
      "The credentials in the address of NATS are not valid: write % as %25",
    ],
    "a name that is none": [
      { flags: { ...BOTH, node: "The Garage" } },
      `The name of this node is not valid: ${NODE_FORM}`,
    ],
    "an empty name": [{ flags: { ...BOTH, node: "" } }, `The name of this node is not valid: ${NODE_FORM}`],
    "a prefix that is none": [
      { cluster: { ...BOTH, prefix: "zaguan.>" } },
      'The prefix of the cluster is not valid: use letters, digits, - and _, up to 64 characters, with dots between parts, such as "zaguan"',
    ],
    "no secret": [secretless(""), `A cluster needs a secret in ZAGUAN_CLUSTER_SECRET or in a file: ${SECRET_ADVICE}`],
    "a short secret": [
      secretless("hush"),
      `The secret in ZAGUAN_CLUSTER_SECRET is too short (4 characters): ${SECRET_ADVICE}`,
    ],
    "a secret that repeats itself": [
      secretless(SECRET.slice(0, 16).repeat(2)),
      `The secret in ZAGUAN_CLUSTER_SECRET repeats itself: ${SECRET_ADVICE}`,
    ],
    "too many secrets": [
      secretless(`${SECRET},${SECRET},${SECRET}`),
      "ZAGUAN_CLUSTER_SECRET holds 3 secrets: one is enough, and two while it is changed",
    ],
    "a file of the secret that is not there": [
      secretless("", { cluster: { ...BOTH, secretFile: "none" } }),
      "The file of the cluster secret, none, cannot be read",
    ],
  };
  for (const [what, [given, line]] of Object.entries(wrong)) {
    it(what, async () => assert.equal(await refusal(given), line));
  }

  it("a file of the secret that others may read", { skip: process.platform === "win32" }, async () => {
    writeFileSync(join(folder, "open.secret"), SECRET);
    chmodSync(join(folder, "open.secret"), 0o644);
    assert.equal(
      await refusal(secretless("", { cluster: { ...BOTH, secretFile: "open.secret" } })),
      'Others than its owner may read the cluster secret: run "chmod 600 open.secret"',
    );
  });

  it("a folder in the place of that file", { skip: process.platform === "win32" }, async () => {
    chmodSync(folder, 0o700);
    assert.match(await refusal(secretless("", { cluster: { ...BOTH, secretFile: "." } })), /^[^\n]+$/);
  });

  it("the same in the language of whoever starts it", async () => {
    const told = async (lang: string, flags: object, secret = SECRET): Promise<string> =>
      refusal({ flags: { ...flags, lang }, env: { ZAGUAN_CLUSTER_SECRET: secret } });
    assert.equal(
      await told("es", BOTH, "hush"),
      "El secreto de ZAGUAN_CLUSTER_SECRET es demasiado corto (4 caracteres): hacen falta al menos 32 caracteres aleatorios, como los que escribe `openssl rand -base64 32`",
    );
    assert.equal(
      await told("fr", { ...BOTH, nats: "http://a" }),
      "L'adresse de NATS n'est pas valide\u00a0: attendu nats://hôte:4222 ou tls://hôte:4222, plusieurs séparées par des virgules",
    );
    assert.equal(
      await told("zh", { nats: "nats://a" }),
      "集群需要所有节点共用的数据库：请用 --database、ZAGUAN_DATABASE 或 cluster.database 指定，或不使用 NATS 启动",
    );
  });
});

describe("the name of a node without one of its own", () => {
  const names: Readonly<Record<string, string>> = {
    garage: "garage",
    "Web1.Example.ORG": "web1-example-org",
    "my_box-2": "my_box-2",
    ".local.": "local",
    ñandú: "and",
    "": "node",
    客厅: "node",
    [`${"x".repeat(31)}.example`]: "x".repeat(31),
    [`${"-".repeat(40)}${"y".repeat(40)}`]: "y".repeat(32),
  };
  for (const [host, name] of Object.entries(names)) {
    it(`on ${JSON.stringify(host)} is ${name}`, () => assert.equal(nodeNameOf(host), name));
  }

  it("is fit on any host", () => {
    fc.assert(fc.property(fc.string({ maxLength: 70 }), (host) => isNodeName(nodeNameOf(host))));
  });
});

describe("another file", () => {
  const changed = (before: object, after: object) => changedSettings(configOf(before).cluster, configOf(after).cluster);

  it("changes nothing where it says the same", () => {
    const both = { ...BOTH, natsTls: { ca: "ca.pem" } };
    assert.deepEqual(changed(both, { ...both }), []);
    assert.deepEqual(changed({}, { prefix: "zaguan" }), []);
  });

  it("is told by the names of what it changes, and not by their values", () => {
    assert.deepEqual(changed({}, BOTH).toSorted(), ["cluster.database", "cluster.nats"]);
    assert.deepEqual(changed({ ...BOTH, node: "a" }, BOTH), ["cluster.node"]);
    assert.deepEqual(changed({ natsTls: { ca: "a" } }, { natsTls: { ca: "b" } }), ["cluster.natsTls"]);
  });
});

async function refusal(given: Given): Promise<string> {
  const error = await settings(given).then(
    () => assert.fail("was taken"),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof ConfigError, String(error));
  assert.doesNotMatch(error.message, /hush|\n/);
  return error.message;
}
