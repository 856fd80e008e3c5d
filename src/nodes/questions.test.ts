import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { MemoryChannels } from "../../test/support/memory-channel.ts";
import { Questions } from "./questions.ts";

interface Node {
  readonly questions: Questions;
  readonly reported: unknown[];
}

let channels: MemoryChannels;
beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  channels = new MemoryChannels();
});
afterEach(() => mock.timers.reset());

function open(name: string, answer: (question: unknown) => unknown = (question) => [name, question]): Node {
  const reported: unknown[] = [];
  const questions = new Questions({ open: channels.open(name), answer, report: (cause) => reported.push(cause) });
  return { questions, reported };
}

/** As long as nobody is waited for. */
async function pass(ms: number): Promise<void> {
  await turn();
  mock.timers.tick(ms);
  await turn();
}

describe("a question to all", () => {
  it("is answered by each of the others", async () => {
    const { questions } = open("uno");
    open("tres");
    open("dos");
    const { answers, missing } = await questions.askAll({ what: "load" });
    assert.deepEqual(answers, [
      { node: "dos", answer: ["dos", { what: "load" }] },
      { node: "tres", answer: ["tres", { what: "load" }] },
    ]);
    assert.deepEqual(missing, []);
  });

  it("is answered at once where nobody else is", async () => {
    assert.deepEqual(await open("uno").questions.askAll(1), { answers: [], missing: [] });
  });

  it("names who does not answer within a second, and takes nothing from them later", async () => {
    const { questions } = open("uno");
    open("dos");
    const late = Promise.withResolvers<string>();
    open("tres", () => late.promise);
    const asked = questions.askAll<unknown>("?");
    let isOver = false;
    void asked.then(() => {
      isOver = true;
    });
    await pass(999);
    assert.equal(isOver, false);
    await pass(1);
    assert.deepEqual(await asked, { answers: [{ node: "dos", answer: ["dos", "?"] }], missing: ["tres"] });
    late.resolve("late");
    await pass(0);
    const next = questions.askAll<unknown>("again");
    await pass(0);
    assert.deepEqual((await next).missing, []);
  });

  it("does not wait for one that is gone", async () => {
    const { questions } = open("uno");
    open("dos");
    open("tres");
    channels.deaf.add("tres");
    const asked = questions.askAll<unknown>("?");
    await turn();
    channels.leave("tres");
    const { answers, missing } = await asked;
    assert.deepEqual([answers.length, missing], [1, ["tres"]]);
  });

  it("names who cannot answer at once, and that node reports why", async () => {
    const { questions } = open("uno");
    const failing = open("dos", () => {
      throw new Error("broken");
    });
    assert.deepEqual(await questions.askAll("?"), { answers: [], missing: ["dos"] });
    assert.match(String(failing.reported[0]), /broken/);
  });
});

describe("a question to one", () => {
  it("is heard by that one alone", async () => {
    const { questions } = open("uno");
    open("dos");
    open("tres", () => assert.fail("it was not asked"));
    assert.deepEqual((await questions.askOne("dos", 7))?.answers, [{ node: "dos", answer: ["dos", 7] }]);
    assert.deepEqual(
      channels.sent.map(({ from, to }) => `${from} ${to}`),
      ["uno dos", "dos uno"],
    );
  });

  it("is none where no node of that name is alive", async () => {
    assert.equal(await open("uno").questions.askOne("dos", 7), undefined);
  });
});
