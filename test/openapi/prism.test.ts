/**
 * Prism, which nobody here wrote, mocks the API of a real document and checks every request by that document. Every tool is
 * called through the hub, with arguments made of nothing but its listed schema: once with as little as it takes, once with
 * all that it takes. Prism must find nothing wrong.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readDocument } from "../../src/openapi/document.ts";
import { operationsOf } from "../../src/openapi/operations.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { DOCUMENTS, type RealDocument } from "./documents.ts";
import { argumentsFor, type ListedTool } from "./support/argument-samples.ts";
import { credentialsFor } from "./support/credentials.ts";
import { startPrism } from "./support/prism.ts";
import { type Exchange, openRelay, type Relay } from "./support/relay.ts";
import { fileOf, textOf } from "./support/stored.ts";

/** Those of which Prism itself reads everything: it knows no lists in forms, for one, and starts for minutes on the largest. */
const MOCKED: Readonly<Record<string, string>> = {
  adyen: "3.1, headers, large bodies with many alternatives",
  airflow: "paths of several parts, lists with commas in the query",
  apideck: "deep objects in the query, three keys at once",
  asana: "nested bodies, a file",
  budibase: "3.1 in YAML",
  discourse: "3.1, headers, files",
  interledger: "3.1 in YAML, alternatives",
  microcks: "files",
  mojaloop: "YAML, patterns that our own checker leaves out",
  slack: "forms",
  traccar: "forms, repeated parameters",
};

describe("called through the hub, with Prism in the place of the API", () => {
  let hub: SpawnedZaguan;
  let client: RegistryClient;
  before(async () => {
    hub = await spawnZaguan({ args: ["--allow-private"] });
    client = new RegistryClient(hub.url);
  });
  after(() => hub?.stop());

  for (const document of DOCUMENTS.filter(({ name }) => Object.hasOwn(MOCKED, name))) {
    test(`${document.name}: ${MOCKED[document.name]}`, async (t) => {
      await withPrism(document, async (relay) => {
        await importAt(document, relay.url);
        const calls = await callAll(document.name);
        const faulty = relay.exchanges.filter(({ faults }) => faults.length > 0);
        t.diagnostic(`${calls} calls of ${document.operations} operations, ${faulty.length} with a fault`);
        assert.deepEqual(faulty.map(shown), []);
        assert.equal(relay.exchanges.length, calls);
      });
    });
  }

  test("a request that is wrong is seen to be", async () => {
    const document = DOCUMENTS.find(({ name }) => name === "traccar") as RealDocument;
    await withPrism(document, async (relay) => {
      const headers = { authorization: "Basic YTpi" };
      const wrong = ["/nowhere", "/devices?id=no-number", "/reports/trips"];
      for (const path of wrong) await (await fetch(`${relay.url}${path}`, { headers })).text();
      await (await fetch(`${relay.url}/devices`)).text();
      const found = relay.exchanges.map(({ faults }) => faults.join("; "));
      assert.match(found[0] ?? "", /NO_PATH_MATCHED/);
      assert.match(found[1] ?? "", /must be integer/);
      assert.match(found[2] ?? "", /must have required property/);
      assert.match(found[3] ?? "", /UNAUTHORIZED/);
    });
  });

  const importAt = async (document: RealDocument, baseUrl: string): Promise<void> => {
    const text = textOf(document);
    const { operations, schemes } = operationsOf(readDocument(text));
    // Nothing may go to where the API really lives.
    assert.ok(operations.every(({ server }) => server === undefined));
    const wanted = { name: document.name, document: text, baseUrl, auth: credentialsFor(schemes) };
    await client.done("POST", "/admin/apis", wanted);
  };

  const callAll = async (name: string): Promise<number> => {
    const place = `/servers/${name}/mcp`;
    let calls = 0;
    for (const tool of await toolsAt(place)) {
      for (const args of argumentsFor(tool)) {
        const { status, text } = await client.call(place, tool.name, args);
        assert.equal(status, 200, text);
        calls++;
      }
    }
    return calls;
  };

  const toolsAt = async (place: string): Promise<ListedTool[]> => {
    const { body } = await client.rpc(place, "tools/list");
    assert.equal(body.result.nextCursor, undefined);
    return body.result.tools;
  };
});

async function withPrism(document: RealDocument, use: (relay: Relay) => Promise<void>): Promise<void> {
  const prism = await startPrism(fileOf(document));
  try {
    const relay = await openRelay(prism.url);
    await use(relay).finally(() => relay.close());
  } finally {
    await prism.stop();
  }
}

function shown({ method, url, contentType, sent, status, faults }: Exchange): string {
  return `${method} ${url} ${contentType ?? ""} ${sent.slice(0, 500)} → ${status} ${faults.join("; ")}`;
}
