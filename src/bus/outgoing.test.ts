/** What is sealed together, in which order it is written, and what is not sent at all. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fc } from "../../test/support/seed.ts";
import { ClusterSecret } from "./cluster-secret.ts";
import { Opener } from "./open.ts";
import { Outbox } from "./outbox.ts";
import { Outgoing, type Target } from "./outgoing.ts";
import { Assembly } from "./parts.ts";
import { Sealer } from "./seal.ts";

const SECRET = new ClusterSecret("Zq3vT8mK1xR6wB9nD4sF7hJ2pL5cY0gA");
const ALL: Target = { subject: "p.all", boot: "" };
const LIMITS = { messageBytes: 1e6, allBytes: 1e6, perSender: 10, patienceMs: 1e6 };

function life(node: string): { node: string; boot: string } {
  return { node, boot: randomBytes(16).toString("base64url") };
}

/** A sender whose connection takes everything at once, and what a receiver makes of it. */
function setUp(partBytes = 1_000, backlog = 1_000_000) {
  const [us, them] = [life("a"), life("b")];
  const opener = new Opener({ secrets: [SECRET], prefix: "p", us: them, onTwin: () => {} });
  const assembly = new Assembly(LIMITS);
  const envelopes: {
    readonly subject: string;
    readonly reply: string | undefined;
    readonly texts: readonly string[];
  }[] = [];
  const publish = (subject: string, bytes: Buffer, reply: string | undefined): void => {
    const opened = opener.open(bytes, subject);
    assert.ok(typeof opened !== "string", String(opened));
    envelopes.push({ subject, reply, texts: assembly.take(opened.from, opened.content, 0) });
  };
  const outbox = new Outbox({ publish, flush: async () => {} }, backlog);
  const unheardSubject = (to: string, number: number): string => `u.${to}.${number}`;
  const outgoing = new Outgoing(new Sealer(SECRET, "p", us), { outbox, partBytes, unheardSubject });
  const to = (node: string, boot = ""): Target => ({ subject: `p.n.${node}`, boot, node });
  const post = (target: Target, text: string, most = 100_000): number | string => outgoing.post(target, text, most);
  return { envelopes, outgoing, post, to, them };
}

describe("messages of one turn", () => {
  it("to one receiver share an envelope and its number, and leave with the end of the turn", async () => {
    const { envelopes, post, to } = setUp();
    const numbers = [post(to("b"), "1"), post(to("c"), "2"), post(to("b"), "3")];
    assert.deepEqual([numbers, envelopes.length], [[1, 2, 1], 0]);
    await turn();
    assert.deepEqual(envelopes, [
      { subject: "p.n.b", reply: "u.b.1", texts: ["1", "3"] },
      { subject: "p.n.c", reply: "u.c.2", texts: ["2"] },
    ]);
    assert.equal(post(to("b"), "4"), 3);
  });

  it("to one life of a node share none with those to any", async () => {
    const { envelopes, post, to, them } = setUp();
    assert.deepEqual([post(to("b"), "1"), post(to("b", them.boot), "2"), post(to("b"), "3")], [1, 2, 3]);
    await turn();
    assert.deepEqual(
      envelopes.map(({ texts }) => texts),
      [["1"], ["2"], ["3"]],
    );
  });

  it("are no more than an envelope takes", async () => {
    const { envelopes, post, to } = setUp(1_000);
    for (let index = 0; index < 10; index++) post(to("b"), `${index}`.repeat(400));
    await turn();
    assert.deepEqual(
      envelopes.map(({ texts }) => texts.length),
      [2, 2, 2, 2, 2],
    );
  });

  it("to all leave at once, and what was sent before leaves before", () => {
    const { envelopes, post, to } = setUp();
    post(to("b"), "before");
    post(ALL, "all");
    assert.deepEqual(
      envelopes.map(({ texts, reply }) => [...texts, reply]),
      [
        ["before", "u.b.1"],
        ["all", undefined],
      ],
    );
  });

  it("arrive in the order in which they were sent, small ones among each other", async () => {
    const kinds = fc.array(fc.constantFrom("any", "life", "all", "large"), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(kinds, async (sent) => {
        const { envelopes, post, to, them } = setUp(300);
        const targets = { any: to("b"), life: to("b", them.boot), all: ALL, large: to("b") };
        for (const [index, kind] of sent.entries()) {
          post(targets[kind as keyof typeof targets], `${index} ${"x".repeat(kind === "large" ? 900 : 10)}`);
        }
        await turn();
        const came = envelopes.flatMap(({ texts }) => texts.map((text) => Number.parseInt(text, 10)));
        const small = came.filter((index) => sent[index] !== "large");
        assert.deepEqual(
          small,
          small.toSorted((one, other) => one - other),
        );
        assert.equal(came.length, sent.length);
      }),
    );
  });
});

describe("a message that is not sent", () => {
  it("is too large, or there is no room for it", () => {
    const { post, to } = setUp(1_000, 2_000);
    assert.equal(post(to("b"), "x".repeat(501), 500), "tooLarge");
    assert.equal(post(to("b"), "ñ".repeat(251), 500), "tooLarge");
    for (let index = 0; index < 4; index++) assert.equal(typeof post(to("b"), "x".repeat(450)), "number");
    assert.equal(post(to("b"), "x".repeat(450)), "backlog");
  });
});
