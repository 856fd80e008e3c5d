/** Large messages in parts: put together in any order, and never more than the bounds allow. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc, Random } from "../../test/support/seed.ts";
import { Assembly, type AssemblyLimits, messagesContent, PART_HEAD_BYTES, partContents } from "./parts.ts";

const GARAGE = { node: "garage", boot: "1" };
const ATTIC = { node: "attic", boot: "2" };
const LIMITS: AssemblyLimits = { messageBytes: 1_000, allBytes: 3_000, perSender: 3, patienceMs: 100 };

function partsOf(message: string, number: number, size: number): Buffer[] {
  return [...partContents(Buffer.from(message), number, size)];
}

describe("a message", () => {
  it("that fits comes at once, with others beside it", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 20 }), (messages) => {
        const content = messagesContent(messages.map((message) => Buffer.from(message)));
        const came = new Assembly(LIMITS).take(GARAGE, content, 0);
        assert.deepEqual(
          came,
          messages.map((message) => message.toWellFormed()),
        );
      }),
    );
  });

  it("in parts is whole with the last of them, whatever their order", () => {
    const shuffled = fc.array(
      fc.tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 50 })),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    fc.assert(
      fc.property(shuffled, fc.nat(), (messages, seed) => {
        const random = new Random(seed);
        const all = messages.flatMap(([message, size], index) =>
          partsOf(message, index + 1, size).map((part) => ({ part, at: random.fraction() })),
        );
        const assembly = new Assembly(LIMITS);
        const whole = all.sort((one, other) => one.at - other.at).flatMap(({ part }) => assembly.take(GARAGE, part, 0));
        assert.deepEqual(whole.sort(), messages.map(([message]) => message.toWellFormed()).sort());
        assert.deepEqual([assembly.bytes, assembly.givenUp], [0, 0]);
      }),
    );
  });

  it("is not mixed up with another of the same number from somebody else", () => {
    const assembly = new Assembly(LIMITS);
    const [a1, a2] = partsOf("aaaabbbb", 1, 4);
    const [b1, b2] = partsOf("ccccdddd", 1, 4);
    const came = [a1, a2].flatMap((part, index) => [
      assembly.take(GARAGE, part as Buffer, 0),
      assembly.take(ATTIC, [b1, b2][index] as Buffer, 0),
    ]);
    assert.deepEqual(came, [[], [], ["aaaabbbb"], ["ccccdddd"]]);
  });

  it("is not made of one part that comes again and again", () => {
    const assembly = new Assembly(LIMITS);
    const [first] = partsOf("aaaabbbb", 1, 4) as [Buffer];
    for (let times = 0; times < 5; times++) assert.deepEqual(assembly.take(GARAGE, first, 0), []);
    assert.equal(assembly.bytes, 8);
  });
});

describe("unfinished messages", () => {
  const begin = (assembly: Assembly, number: number, bytes: number, from = GARAGE, now = 0): void => {
    const [first] = partsOf("x".repeat(bytes), number, bytes - 1) as [Buffer];
    assert.deepEqual(assembly.take(from, first, now), []);
  };

  it("of a sender are bounded in number: the one that was silent longest gives way", () => {
    const assembly = new Assembly(LIMITS);
    for (let number = 1; number <= 5; number++) begin(assembly, number, 10);
    begin(assembly, 1, 10, ATTIC);
    assert.deepEqual([assembly.givenUp, assembly.bytes], [2, 40]);
    const [, last] = partsOf("x".repeat(10), 3, 9) as [Buffer, Buffer];
    assert.deepEqual(assembly.take(GARAGE, last, 0), ["x".repeat(10)]);
  });

  it("are bounded in bytes, each and all together", () => {
    const assembly = new Assembly(LIMITS);
    begin(assembly, 1, 1_001);
    assert.deepEqual([assembly.bytes, assembly.givenUp], [0, 0]);
    for (let number = 1; number <= 4; number++) begin(assembly, number, 900, { node: `n${number}`, boot: "1" });
    assert.deepEqual([assembly.bytes, assembly.givenUp], [2_700, 1]);
  });

  it("are given up when nothing more of them comes", () => {
    const assembly = new Assembly(LIMITS);
    begin(assembly, 1, 10, GARAGE, 0);
    begin(assembly, 2, 10, GARAGE, 60);
    assembly.sweep(99);
    assert.equal(assembly.bytes, 20);
    assembly.sweep(100);
    assert.deepEqual([assembly.bytes, assembly.givenUp], [10, 1]);
  });

  it("stay within bounds whatever contents come", () => {
    const assembly = new Assembly(LIMITS);
    const head = fc.record({
      number: fc.nat(5),
      total: fc.oneof(fc.nat(1_200), fc.constant(2 ** 32 - 1)),
      offset: fc.oneof(fc.nat(1_200), fc.constant(2 ** 32 - 1)),
      bytes: fc.uint8Array({ maxLength: 200 }),
    });
    fc.assert(
      fc.property(fc.array(head, { maxLength: 20 }), fc.uint8Array({ maxLength: 30 }), (parts, garbage) => {
        for (const { number, total, offset, bytes } of parts) {
          const content = Buffer.concat([Buffer.alloc(PART_HEAD_BYTES), bytes]);
          content[0] = 1;
          content.writeUIntBE(number, 1, 6);
          content.writeUInt32BE(total, 7);
          content.writeUInt32BE(offset, 11);
          assembly.take(GARAGE, content, 0);
        }
        assembly.take(GARAGE, Buffer.from(garbage), 0);
        assert.ok(assembly.bytes <= LIMITS.allBytes);
      }),
    );
  });
});
