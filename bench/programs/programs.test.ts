/** The text work that the floors and the echo servers stand on: it must find what a parser finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeEcho } from "./echo.mjs";
import { endOfValue, findMember } from "./json-text.mjs";
import { bringDown, takeUp } from "./relay.mjs";

const MESSAGES: readonly object[] = [
  { jsonrpc: "2.0", id: 7, method: "x" },
  { result: { id: 1, deep: [{ id: "no" }, '"id":2', "\\"] }, jsonrpc: "2.0", id: 'a "quoted" \\ id' },
  { 'i"d': 1, "x\\": { "}": "]" }, empty: {}, none: [], id: null },
];

for (const message of MESSAGES) {
  for (const space of [0, 2]) {
    const text = JSON.stringify(message, null, space);
    test(`members are found in ${text.slice(0, 40).replace(/\s+/g, " ")}… with ${space} spaces`, () => {
      for (const [name, value] of Object.entries(message)) {
        const spelled = JSON.stringify(name).slice(1, -1);
        const at = findMember(text, 0, spelled);
        assert.deepEqual(JSON.parse(text.slice(at, endOfValue(text, at))), value);
      }
      assert.equal(findMember(text, 0, "absent"), -1);
    });
  }
}

test("a relay gives ids of its own and puts the caller's back", () => {
  const callers = [{ name: "a" }, { name: "b" }];
  const up = callers.map((caller) => takeUp('{"jsonrpc":"2.0","id":"same","method":"ping"}', caller) ?? "");
  const ids = up.map((text) => JSON.parse(text).id);
  assert.notEqual(ids[0], ids[1]);
  const down: unknown[] = [];
  for (const id of ids.reverse())
    bringDown(`{"result":{"id":5},"id":${id}}`, (caller: unknown, text: string) =>
      down.push([caller, JSON.parse(text)]),
    );
  const answer = { result: { id: 5 }, id: "same" };
  assert.deepEqual(down, [
    [callers[1], answer],
    [callers[0], answer],
  ]);
});

test("a relay gives no id to a notification, and drops what nobody waits for", () => {
  assert.equal(takeUp('{"jsonrpc":"2.0","method":"notifications/initialized"}', {}), undefined);
  bringDown('{"id":987654,"result":{}}', () => assert.fail("nobody asked"));
});

test("the echo server pages a long list and names every tool once", () => {
  const echo = makeEcho({ era: "2025", tools: 2_500, prefix: "p-" });
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { result } = JSON.parse(echo(JSON.stringify({ id: 1, method: "tools/list", params: { cursor } })) ?? "");
    names.push(...result.tools.map((tool: { name: string }) => tool.name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  assert.equal(new Set(names).size, 2_500);
  assert.equal(names[0], "p-echo");
});

test("the echo server speaks the era that it was told, and no other", () => {
  const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
  const discover = '{"jsonrpc":"2.0","id":1,"method":"server/discover"}';
  assert.match(makeEcho({ era: "2025" })(initialize) ?? "", /protocolVersion/);
  assert.match(makeEcho({ era: "2025" })(discover) ?? "", /-32601/);
  assert.match(makeEcho({ era: "2026" })(initialize) ?? "", /-32601/);
  assert.match(makeEcho({ era: "2026" })(discover) ?? "", /supportedVersions/);
});
