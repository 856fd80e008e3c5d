/** Topics of a real mosquitto as resources and tools. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Connection } from "../../src/sources/source.ts";
import { type Mosquitto, NO_MOSQUITTO, startMosquitto } from "../support/mqtt/mosquitto.ts";
import { connectBroker, type Other, openOther, optionsFor } from "../support/mqtt/open-broker.ts";
import { ask, callTool, type Said, textOf, untilAsked } from "../support/open-house.ts";
import { until } from "../support/processes.ts";

interface Resources {
  readonly resources: readonly { readonly uri: string; readonly name: string; readonly mimeType: string }[];
  readonly nextCursor?: string;
}

const UPDATED = "notifications/resources/updated";

let broker: Mosquitto;
let other: Other;
let flat: Connection;
let said: Said[];

before(async () => {
  if (NO_MOSQUITTO) return;
  broker = await startMosquitto();
  other = await openOther(broker.port);
  await other.keep("house/Küche/Licht 1", { on: true });
  await other.keep("house/text", "hello");
  await other.keep("house/number", "21.5");
  await other.keep("secret/door", "1234");
  const options = optionsFor(broker.port, { topics: ["house/#", "many/+"], publish: ["house/+/set", "test/#"] });
  ({ connection: flat, said } = await connectBroker(options));
});

beforeEach(() => {
  if (said) said.length = 0;
});

after(async () => {
  await flat?.close();
  await other?.close();
  await broker?.stop();
});

describe("topics as resources", { skip: NO_MOSQUITTO }, () => {
  it("are listed if the configuration shows them, with what they hold", async () => {
    const { resources } = (await ask(flat, "resources/list")) as Resources;
    assert.deepEqual(
      resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]),
      [
        ["mqtt://flat/house/K%C3%BCche/Licht%201", "house/Küche/Licht 1", "application/json"],
        ["mqtt://flat/house/number", "house/number", "text/plain"],
        ["mqtt://flat/house/text", "house/text", "text/plain"],
      ],
    );
    const { resourceTemplates } = (await ask(flat, "resources/templates/list")) as {
      resourceTemplates: { uriTemplate: string }[];
    };
    assert.equal(resourceTemplates[0]?.uriTemplate, "mqtt://flat/{+topic}");
  });

  it("are read as JSON, text or bytes", async () => {
    assert.deepEqual(await read("house/K%C3%BCche/Licht%201"), { mimeType: "application/json", text: '{"on":true}' });
    assert.deepEqual(await read("house/text"), { mimeType: "text/plain", text: "hello" });
    await other.say("house/bytes", Buffer.from([0, 255, 1]));
    await untilAsked("it is here", async () => (await read("house/bytes").catch(() => undefined)) !== undefined);
    assert.deepEqual(await read("house/bytes"), { mimeType: "application/octet-stream", blob: "AP8B" });
  });

  it("are not found where there is none, or where they are not shown", async () => {
    for (const path of ["house/none", "secret/door", "$SYS/broker/version", "house/%23"]) {
      await assert.rejects(read(path), (error: { details?: { relayed?: { code?: number } } }) => {
        assert.equal(error.details?.relayed?.code, -32002, path);
        return true;
      });
    }
  });

  it("are told of when they change, once for what comes at once, to whoever subscribed", async () => {
    const uri = "mqtt://flat/house/text";
    await ask(flat, "resources/subscribe", { uri });
    // At once, however long the broker takes to acknowledge each.
    await Promise.all(Array.from({ length: 20 }, (_, n) => other.say("house/text", `${n}`)));
    await other.say("house/number", "22");
    await until("it is told", () => said.some(({ method }) => method === UPDATED));
    await untilAsked(
      "the last is here",
      async () => textOf(await callTool(flat, "read_topic", { topic: "house/number" })) === "22",
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    const updates = said.filter(({ method }) => method === UPDATED);
    assert.ok(updates.length < 15, `${updates.length} for twenty messages`);
    assert.ok(updates.every(({ params }) => (params as { uri: string }).uri === uri));
    await ask(flat, "resources/unsubscribe", { uri });
    said.length = 0;
    await other.say("house/text", "nobody listens");
    await untilAsked(
      "it is here",
      async () => textOf(await callTool(flat, "read_topic", { topic: "house/text" })) === "nobody listens",
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(
      said.filter(({ method }) => method === UPDATED),
      [],
    );
  });

  it("come in pages, and are told of as a list once for many", async () => {
    for (let n = 0; n < 250; n++) await other.say(`many/${String(n).padStart(3, "0")}`, "1");
    await until("it is told", () => said.some(({ method }) => method === "notifications/resources/list_changed"));
    await untilAsked(
      "all are here",
      async () => (await callTool(flat, "list_topics", { filter: "many/+" })).structuredContent?.["total"] === 250,
    );
    const first = (await ask(flat, "resources/list")) as Resources;
    const second = (await ask(flat, "resources/list", { cursor: first.nextCursor })) as Resources;
    assert.deepEqual([first.resources.length, second.nextCursor], [200, undefined]);
    assert.equal(
      new Set([...first.resources, ...second.resources].map(({ uri }) => uri)).size,
      first.resources.length + second.resources.length,
    );
  });
});

describe("the tools for topics", { skip: NO_MOSQUITTO }, () => {
  it("read what is known, and wait for what is not", async () => {
    const known = await callTool(flat, "read_topic", { topic: "house/Küche/Licht 1" }, "en");
    assert.deepEqual(known.structuredContent?.["json"], { on: true });
    const waiting = callTool(flat, "read_topic", { topic: "house/later", wait_seconds: 20 }, "en");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await other.say("house/later", "now");
    assert.equal(textOf(await waiting), "now");
    const fresh = callTool(flat, "read_topic", { topic: "house/later", wait_seconds: 20, fresh: true }, "en");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await other.say("house/later", "again");
    assert.equal(textOf(await fresh), "again");
    const none = await callTool(flat, "read_topic", { topic: "house/never", wait_seconds: 0.1 }, "en");
    assert.deepEqual([none.isError, none.structuredContent?.["found"]], [false, false]);
  });

  it("read nothing that is not shown", async () => {
    const result = await callTool(flat, "read_topic", { topic: "secret/door", wait_seconds: 1 }, "en");
    assert.equal(result.isError, true);
    assert.match(textOf(result), /does not show the topic.*house\/#, many\/\+/);
  });

  it("publish text, JSON and bytes where it is allowed", async () => {
    await other.on("test/a", () => {});
    const messages: readonly object[] = [{ text: "hello" }, { json: { a: [1] } }, { base64: "AP8B" }, { text: "" }];
    for (const message of messages) {
      const result = await callTool(flat, "publish", { topic: "test/a", ...message }, "en");
      assert.deepEqual(
        [result.isError, result.structuredContent?.["acknowledged"], result.structuredContent?.["has_listeners"]],
        [false, true, true],
      );
    }
    await until("all are here", () => other.heard.filter(({ topic }) => topic === "test/a").length === 4);
    const heard = other.heard
      .filter(({ topic }) => topic === "test/a")
      .map(({ payload }) => payload.toString("latin1"));
    assert.deepEqual(heard, ["hello", '{"a":[1]}', "\x00\xff\x01", ""]);
    const kept = await callTool(flat, "publish", { topic: "test/kept", text: "x", qos: 0, retain: true }, "en");
    assert.equal(kept.structuredContent?.["acknowledged"], false);
    // Acknowledged behind it on the same connection: the broker has the other one, too.
    const unheard = await callTool(flat, "publish", { topic: "test/nobody", text: "x" }, "en");
    assert.match(textOf(unheard), /acknowledged it\. Nobody is subscribed/);
    await other.on("test/kept", () => {});
    await until("it was kept", () => other.heard.some(({ topic, isRetained }) => topic === "test/kept" && isRetained));
  });

  const refusals: readonly (readonly [string, object, RegExp])[] = [
    [
      "elsewhere",
      { topic: "zigbee2mqtt/bridge/request/remove", text: "x" },
      /does not allow publishing.*house\/\+\/set, test\/#/,
    ],
    ["to wildcards", { topic: "test/#", text: "x" }, /is not a topic/],
    ["to the broker's own topics", { topic: "$SYS/broker/uptime", text: "x" }, /does not allow/],
    ["two messages at once", { topic: "test/a", text: "x", json: 1 }, /one of text, json or base64/],
    ["nothing", { topic: "test/a" }, /one of text, json or base64/],
    ["what is no base64", { topic: "test/a", base64: "@@@" }, /not valid base64/],
  ];
  for (const [what, args, reason] of refusals) {
    it(`do not publish ${what}`, async () => {
      const result = await callTool(flat, "publish", args, "en");
      assert.equal(result.isError, true);
      assert.match(textOf(result), reason);
    });
  }

  it("say what the broker does not allow", async () => {
    const prepare = async (folder: string) => {
      const { writeFile } = await import("node:fs/promises");
      await writeFile(`${folder}/acl`, "topic read #\ntopic write allowed/#\n");
      return [`acl_file ${folder}/acl`];
    };
    const strict = await startMosquitto({ lines: ["allow_anonymous true"], prepare });
    const { connection } = await connectBroker(optionsFor(strict.port, { publish: ["#"] }));
    const result = await callTool(connection, "publish", { topic: "forbidden/x", text: "x" }, "en");
    assert.match(textOf(result), /does not allow this user to publish/);
    await connection.close();
    await strict.stop();
  });
});

async function read(path: string): Promise<object> {
  const { contents } = (await ask(flat, "resources/read", { uri: `mqtt://flat/${path}` })) as {
    contents: { uri: string }[];
  };
  const { uri: _, ...content } = contents[0] ?? { uri: "" };
  return content;
}
