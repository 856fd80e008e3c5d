/** Several pasted servers: which are ticked, which may be added, and what is asked of the hub. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people paste
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerPreview } from "../../../contract/server.ts";
import { Problem } from "../../kit/api.ts";
import { readPaste } from "./paste.ts";
import {
  addable,
  changedRow,
  eachOf,
  isTaken,
  openGaps,
  refused,
  requestOfRow,
  rowsOf,
  seen,
  unseen,
} from "./paste-rows.ts";

const SEEN: ServerPreview = {
  ok: true,
  nameTaken: false,
  transport: null,
  revision: null,
  serverInfo: null,
  tools: [],
  steps: [],
  ms: 1,
  error: null,
};
const PASTED = readPaste(
  JSON.stringify({
    mcpServers: {
      a: { command: "npx", args: ["${WHERE}"], env: { KEY: "<KEY>" } },
      b: { url: "https://b.example/mcp", headers: { A: "b" } },
      off: { url: "https://off.example", disabled: true },
    },
  }),
);
const ROWS = rowsOf(PASTED, new Set(["b"]));
const [A, B] = ROWS as [(typeof ROWS)[number], (typeof ROWS)[number]];

test("what is off elsewhere and what is here already is not ticked", () => {
  assert.deepEqual(
    ROWS.map(({ name, ticked }) => [name, ticked]),
    [
      ["a", true],
      ["b", false],
      ["off", false],
    ],
  );
  assert.deepEqual(rowsOf({ kind: "unknown" }, new Set()), []);
});

test("a request has what was filled in", () => {
  assert.deepEqual(openGaps(A, { "<KEY>": "k" }), ["${WHERE}"]);
  const request = requestOfRow(A, { "<KEY>": "k", "${WHERE}": "/srv" });
  assert.deepEqual(request, { name: "a", command: "npx", args: ["/srv"], env: { KEY: "k" } });
  assert.deepEqual(requestOfRow(B, {}), { name: "b", baseUrl: "https://b.example/mcp", headers: { A: "b" } });
});

test("only what was looked at is added, and what failed is not unless it is ticked again", () => {
  const none = new Set<string>();
  assert.deepEqual(addable(ROWS, none), []);
  assert.equal(addable([seen(A, SEEN)], none).length, 1);
  const failed = seen(A, { ...SEEN, ok: false });
  assert.equal(addable([failed], none).length, 0);
  assert.equal(addable([{ ...failed, ticked: true }], none).length, 1);
  assert.equal(addable([{ ...refused(A, new Problem(403, {})), ticked: true }], none).length, 0);
  assert.equal(addable([unseen(seen(A, SEEN))], none).length, 0);
});

test("a name that is taken, here or further up, is not added", () => {
  const a = seen(A, SEEN);
  assert.equal(addable([a], new Set(["a"])).length, 0);
  const twice = changedRow([a, { ...seen(B, SEEN), ticked: true }], 1, { name: "a" });
  assert.equal(addable(twice, new Set()).length, 0);
  assert.equal(isTaken(a, [a, { ...B, name: "a", ticked: false }], new Set()), false);
});

test("every one is done once, and never more than so many at the same time", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 20 }, (_, index) => index);
  await eachOf(items, 3, async (item) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    done.push(item);
  });
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    items,
  );
  assert.equal(most, 3);
});

test("nothing to do is nothing", async () => eachOf([], 3, () => assert.fail()));
