/** Calls as people look at them: under way or over, each to those who may see it. A real hub, under a clock of its own. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BOB, makeTool } from "../../test/support/make-call.ts";
import { callOf, failureOf, type OpenHub, openHub, untilAborted } from "../../test/support/open-hub.ts";
import type { CallRequest, Principal } from "../core/call.ts";
import type { CallBoard } from "../doors/door.ts";
import { CallJournal } from "../observe/journal.ts";
import { Payload } from "../protocol/json/payload.ts";
import { makeCallBoard } from "./call-board.ts";

const ADMIN: Principal = { id: "local", kind: "local", name: "local", admin: true };
const STEPS = ["authorize", "validate", "rateLimit", "cache", "deadline", "queue", "retry", "dispatch"];

interface Board {
  readonly board: CallBoard;
  readonly open: OpenHub;
  call(more?: Partial<CallRequest>): Promise<Payload>;
}

/** With `slow`, which does not answer, and `quick`; each does one call at a time. */
function openBoard(): Board {
  const open = openHub((event) => journal.take(event));
  const journal = new CallJournal(() => open.clock.now());
  open.attach(
    "house",
    [makeTool("slow"), makeTool("quick")],
    {},
    {
      request: (asked) =>
        asked.name === "slow" ? untilAborted(asked) : Promise.resolve(Payload.ofText('{"content":[]}')),
    },
  );
  const board = makeCallBoard(open.hub, journal);
  return { board, open, call: (more) => open.hub.call(callOf("quick", more)) };
}

describe("the board", () => {
  it("shows a call that ended to its caller and to administrators", async () => {
    const { board, call } = openBoard();
    await call({ args: Payload.ofText('{"token":"geheim","x":1}') });
    const [row] = board.since(0, 10, ADMIN);
    assert.deepEqual([row?.tool, row?.state, row?.outcome, row?.principal], ["quick", "ended", "ok", "alice"]);
    assert.equal(board.since(0, 10, callOf("").principal).length, 1);
    const detail = board.find(row?.id ?? 0, ADMIN);
    assert.deepEqual([detail?.args, detail?.argsKept], [{ token: "[redacted]", x: 1 }, true]);
    assert.deepEqual(
      detail?.steps.map(({ name }) => name),
      STEPS,
    );
    assert.deepEqual([detail?.method, detail?.language, detail?.deadlineMs], ["tools/call", "en", 30_000]);
  });

  it("shows nothing of it to anybody else, and ends nothing for them", async () => {
    const { board, open, call } = openBoard();
    await call();
    const slow = open.hub.call(callOf("slow"));
    await open.clock.advance(1);
    const id = board.running(ADMIN)[0]?.id ?? 0;
    assert.deepEqual([board.since(0, 10, BOB), board.running(BOB)], [[], []]);
    for (const one of [1, id]) assert.deepEqual([board.find(one, BOB), board.cancel(one, BOB)], [undefined, undefined]);
    assert.equal(board.running(ADMIN).length, 1, "it goes on");
    board.cancel(id, ADMIN);
    await failureOf(slow);
  });

  it("looks further back for those who may see few", async () => {
    const { board, call } = openBoard();
    await call({ principal: BOB });
    for (let other = 0; other < 20; other++) await call();
    assert.equal(board.since(0, 5, BOB).length, 1);
    assert.equal(board.since(0, 5, ADMIN).length, 5);
  });

  it("tells those that wait from those that run, the newest first", async () => {
    const { board, open } = openBoard();
    const calls = [open.hub.call(callOf("slow")), open.hub.call(callOf("slow", { principal: BOB }))];
    await open.clock.advance(1);
    const rows = board.running(ADMIN);
    assert.deepEqual(
      rows.map(({ principal, state, outcome }) => [principal, state, outcome]),
      [
        ["bob", "waiting", null],
        ["alice", "running", null],
      ],
    );
    const detail = board.find(rows[1]?.id ?? 0, ADMIN);
    assert.deepEqual(
      detail?.steps.map(({ name }) => name),
      STEPS,
      "as far as it has come",
    );
    const waiting = board.find(rows[0]?.id ?? 0, ADMIN);
    assert.equal(waiting?.steps.at(-1)?.name, "queue");
    for (const { id } of rows) board.cancel(id, ADMIN);
    await Promise.all(calls.map(failureOf));
  });

  it("marks what is under way anew when one came, got its turn or went, and only then", async () => {
    const { board, open } = openBoard();
    const marks: string[] = [];
    const look = (): void => {
      const { count, mark } = board.underWay(ADMIN);
      assert.equal(count, board.running(ADMIN).length);
      marks.push(mark);
    };
    look();
    const calls = [open.hub.call(callOf("slow")), open.hub.call(callOf("slow", { principal: BOB }))];
    await open.clock.advance(1);
    look();
    assert.deepEqual([board.running(ADMIN, 1)[0]?.principal, board.running(ADMIN, 1).length], ["bob", 1]);
    assert.equal(board.underWay(BOB).count, 1);
    board.cancel(board.running(ADMIN)[1]?.id ?? 0, ADMIN);
    await failureOf(calls[0] as Promise<unknown>);
    look();
    const next = open.hub.call(callOf("slow"));
    await open.clock.advance(1);
    look();
    board.cancel(board.running(ADMIN)[1]?.id ?? 0, ADMIN);
    const last = open.hub.call(callOf("slow"));
    await failureOf(calls[1] as Promise<unknown>);
    look();
    assert.equal(new Set(marks).size, marks.length, marks.join(", "));
    look();
    assert.equal(marks.at(-1), marks.at(-2));
    for (const { id } of board.running(ADMIN)) board.cancel(id, ADMIN);
    await Promise.all([next, last].map(failureOf));
  });

  it("ends one that waits, and one that runs: caller and source are told", async () => {
    const { board, open } = openBoard();
    let told = 0;
    const calls = [open.hub.call(callOf("slow")), open.hub.call(callOf("slow"))];
    await open.clock.advance(1);
    open.requests[0]?.signal.addEventListener("abort", () => told++);
    const [waiting, running] = board.running(ADMIN).map(({ id }) => id);
    assert.equal(board.cancel(waiting ?? 0, ADMIN), "cancelled");
    assert.equal((await failureOf(calls[1] as Promise<unknown>)).code, "STOPPED");
    assert.equal(told, 0);
    assert.equal(board.cancel(running ?? 0, ADMIN), "cancelled");
    assert.equal((await failureOf(calls[0] as Promise<unknown>)).code, "STOPPED");
    assert.equal(told, 1);
    assert.equal(open.requests.length, 1, "the one that waited never came to its source");
    assert.deepEqual(
      board.since(0, 10, ADMIN).map(({ outcome }) => outcome),
      ["STOPPED", "STOPPED"],
    );
  });

  it("knows how long one has waited that was ended before its turn came", async () => {
    const { board, open } = openBoard();
    const calls = [open.hub.call(callOf("slow")), open.hub.call(callOf("slow"))];
    await open.clock.advance(700);
    const [waiting, running] = board.running(ADMIN).map(({ id }) => id);
    board.cancel(waiting ?? 0, ADMIN);
    await failureOf(calls[1] as Promise<unknown>);
    assert.equal(board.find(waiting ?? 0, ADMIN)?.queuedMs, 700);
    board.cancel(running ?? 0, ADMIN);
    await failureOf(calls[0] as Promise<unknown>);
  });

  it("shows an agent what it gave, and not what was fixed for it", async () => {
    const { board, call } = openBoard();
    const links = { find: () => ({ fixedArguments: { account: "of the house" } }) };
    const agent: Principal = { id: "agent:1", kind: "agent", name: "bot", links };
    await call({ principal: agent, args: Payload.ofText('{"x":1}') });
    assert.deepEqual(board.find(1, agent)?.args, { x: 1 });
    assert.deepEqual(
      board.find(1, { ...agent, links: { find: () => ({}) } })?.args,
      { x: 1 },
      "also when it changed since",
    );
    assert.deepEqual(board.find(1, ADMIN)?.args, { account: "of the house", x: 1 });
  });

  it("tells what a tool says of its own failure from what it tells of others'", async () => {
    for (const [text, outcome] of [
      ['{"content":[],"isError":true}', "tool-failed"],
      ['{ "isError" : true }', "tool-failed"],
      ['{"content":[],"isError":false}', "ok"],
      ['{"content":[],"structuredContent":{"isError":true}}', "ok"],
    ] as const) {
      const { board, open } = openBoard();
      open.attach("tv", [makeTool("tell")], {}, { request: async () => Payload.ofText(text) });
      await open.hub.call(callOf("tell"));
      assert.equal(board.since(0, 1, ADMIN)[0]?.outcome, outcome, text);
    }
  });

  it("says of one that is over that it is too late, and knows nothing of others", async () => {
    const { board, call } = openBoard();
    await call();
    const id = board.since(0, 1, ADMIN)[0]?.id ?? 0;
    assert.equal(board.cancel(id, ADMIN), "ended");
    assert.equal(board.cancel(id + 99, ADMIN), undefined);
    assert.equal(board.cancel(Number.NaN, ADMIN), undefined);
    assert.equal(board.find(id + 99, ADMIN), undefined);
  });

  it("has no way to show where none was kept", async () => {
    const { board, call } = openBoard();
    for (let one = 0; one < 51; one++) await call();
    const last = board.find(board.since(0, 1, ADMIN)[0]?.id ?? 0, ADMIN);
    assert.deepEqual([last?.steps, last?.args, last?.argsKept, last?.retries], [[], null, false, []]);
  });

  it("knows that arguments were null from arguments that were not kept", async () => {
    const { board, call } = openBoard();
    await call({ args: Payload.ofText("null"), unchecked: true });
    const { args, argsKept } = board.find(1, ADMIN) ?? assert.fail("not found");
    assert.deepEqual([args, argsKept], [null, true]);
  });
});
