/**
 * The tools of server-everything, over each of its transports, at its own address and in the whole catalogue: what they
 * are, what they answer, and what they say and ask in the middle of their work.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/processes.ts";
import { answering } from "./support/answers.ts";
import { forEverything, ONE_SERVER } from "./support/everything-settings.ts";
import { HOUSE_TOOLS } from "./support/house.ts";
import type { ConnectOptions, PeerClient } from "./support/official-clients.ts";

const LONG = "trigger-long-running-operation";

/** Those that ask the client something before they answer. */
const ASKING: readonly (readonly [string, object])[] = [
  ["trigger-sampling-request", { prompt: "¿Cuánto es dos y dos?", maxTokens: 20 }],
  ["trigger-elicitation-request", {}],
  ["get-roots-list", {}],
];

const PLAIN: readonly (readonly [string, object])[] = [
  ["echo", { message: 'ñ 你好 \u0007 \\ " 😀' }],
  ["get-structured-content", { location: "New York" }],
  ["get-annotated-message", { messageType: "debug", includeImage: true }],
  ["get-sum", { a: "one", b: 2 }],
];

const UNWILLING: Readonly<Record<string, Pick<ConnectOptions, "capabilities" | "answers">>> = {
  declines: answering("elicitation/create", { action: "decline" }),
  cancels: answering("elicitation/create", { action: "cancel" }),
};

forEverything((setting, place) => {
  test("tools/list is the server's own", async () => {
    const { through, direct } = setting();
    const own = await direct.tools();
    const expected = place === ONE_SERVER ? own : [...HOUSE_TOOLS, ...own];
    const listed = await through.toolsWhen(expected.length);
    assert.deepEqual(place === ONE_SERVER ? listed : listed.slice(HOUSE_TOOLS.length), own);
  });

  for (const [name, args] of PLAIN) {
    test(`${name} ${JSON.stringify(args)} arrives unchanged`, async () => {
      const { through, direct } = setting();
      const [ours, its] = [await through.callRaw(name, args), await direct.callRaw(name, args)];
      // Wrong arguments never reach a server in the whole catalogue: the words are ours there, the kind of answer is not.
      if (place !== ONE_SERVER && isError(its)) assert.equal(isError(ours), true);
      else assert.deepEqual(ours, its);
    });
  }

  for (const [name, args] of ASKING) {
    test(`${name} asks this client, and answers with what it said`, async () => {
      const { through, direct } = setting();
      assert.deepEqual(await through.callRaw(name, args), await direct.callRaw(name, args));
    });
  }

  for (const [what, options] of Object.entries(UNWILLING)) {
    test(`the server hears of a person who ${what}`, async () => {
      const client = await setting().another(options);
      const { content } = await client.call("trigger-elicitation-request");
      assert.match(content[0]?.text ?? "", what === "declines" ? /declined/ : /cancelled/);
      await client.close();
    });
  }

  test("two clients that are asked at the same time each answer for themselves", async () => {
    const { another } = setting();
    const names = ["Berta", "Carlos"];
    const clients = await Promise.all(
      names.map((name) => another(answering("elicitation/create", { action: "accept", content: { name } }))),
    );
    const results = await Promise.all(clients.map((client) => client.call("trigger-elicitation-request")));
    for (const [index, { content }] of results.entries()) {
      assert.match(content[1]?.text ?? "", new RegExp(`Name: ${names[index]}`));
    }
    await Promise.all(clients.map((client) => client.close()));
  });

  test("what one client told the server is not shown to the next", async () => {
    for (const name of ["berta", "carlos"]) {
      const roots = [{ uri: `file:///home/${name}`, name }];
      const client = await setting().another(answering("roots/list", { roots }));
      const { content } = await client.call("get-roots-list");
      assert.match(content[0]?.text ?? "", new RegExp(`1\\. ${name}\n`));
      await client.close();
    }
  });

  test("a client that cannot be asked is told so by the tool's own failure", async () => {
    const client = await setting().another({});
    const { isError: failed, content } = await client.call("trigger-elicitation-request");
    assert.equal(failed, true, content[0]?.text);
    await client.close();
  });

  test("progress comes step by step, before the answer", async () => {
    const { through } = setting();
    const seen: unknown[] = [];
    const onprogress = (progress: unknown): void => void seen.push(progress);
    await through.call(LONG, { duration: 0.4, steps: 4 }, { onprogress });
    const steps = [1, 2, 3, 4].map((progress) => ({ progress, total: 4 }));
    assert.deepEqual(seen, steps);
  });

  test("the log of the server is heard from the level that the client asked for", async () => {
    const { through } = setting();
    const [quiet, loud] = ["demo://resource/dynamic/text/31", "demo://resource/dynamic/text/32"];
    await through.raw.setLoggingLevel("error");
    await through.raw.subscribeResource({ uri: quiet });
    await through.raw.setLoggingLevel("debug");
    await through.raw.subscribeResource({ uri: loud });
    await until("it is told of the second", () => logged(through, loud));
    assert.equal(logged(through, quiet), false);
    for (const uri of [quiet, loud]) await through.raw.unsubscribeResource({ uri });
  });

  test("what the server logs by itself is heard too", async () => {
    const { through } = setting();
    await through.raw.setLoggingLevel("debug");
    await through.call("toggle-simulated-logging");
    await until("it says something", () => logged(through, /^\w+[- ]level[- ]message/));
    await through.call("toggle-simulated-logging");
  });
});

function logged({ heard }: PeerClient, what: string | RegExp): boolean {
  const says = (data: string): boolean => (typeof what === "string" ? data.includes(what) : what.test(data));
  return heard.some(({ method, params }) => method === "notifications/message" && says(String(params?.["data"])));
}

function isError(result: unknown): boolean {
  return (result as { isError?: boolean }).isError === true;
}
