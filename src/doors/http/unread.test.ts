import assert from "node:assert/strict";
import { Socket } from "node:net";
import { describe, it } from "node:test";
import { hasWritten, UnreadAnswers } from "./unread.ts";

const MOST = 1_000_000;

function reader(bytes: number) {
  return {
    writableLength: bytes,
    destroyed: false,
    isCut: false,
    destroy() {
      this.isCut = true;
    },
  };
}

function open() {
  let now = 0;
  const unread = new UnreadAnswers(
    () => MOST,
    () => now,
  );
  return { unread, pass: () => ++now };
}

describe("answers that nobody reads", () => {
  it("are counted together however small they are, without what has been read since", () => {
    const { unread } = open();
    const readers = [reader(300_000), reader(200_000), reader(1)];
    for (const one of readers) unread.wrote(one);
    assert.equal(unread.bytes, 500_001);
    Object.assign(readers[2] ?? {}, { writableLength: 0 });
    Object.assign(readers[0] ?? {}, { writableLength: 100_000 });
    Object.assign(readers[1] ?? {}, { writableLength: 0 });
    assert.equal(unread.bytes, 100_000);
  });

  it("may be as much as the bound; one byte more, and whoever has read nothing for the longest time is cut", () => {
    const { unread, pass } = open();
    const [first, second, third] = [reader(400_000), reader(400_000), reader(200_000)] as const;
    for (const one of [first, second, third]) {
      unread.wrote(one);
      pass();
    }
    assert.deepEqual([first.isCut, second.isCut, third.isCut, unread.bytes], [false, false, false, MOST]);
    third.writableLength += 1;
    unread.wrote(third);
    assert.deepEqual([first.isCut, second.isCut, third.isCut, unread.bytes], [true, false, false, 600_001]);
  });

  it("cost nobody the connection who reads them, however long that takes", () => {
    const { unread, pass } = open();
    const [honest, idle, last] = [reader(500_000), reader(500_000), reader(100_000)] as const;
    unread.wrote(honest);
    unread.wrote(idle);
    pass();
    honest.writableLength -= 62_500;
    unread.wrote(last);
    assert.deepEqual([honest.isCut, idle.isCut, last.isCut], [false, true, false]);
  });

  it("are cut first where next to nothing of them is read now and then: that is not fresher than a moment's rest", () => {
    const { unread, pass } = open();
    const [dripping, resting, last] = [reader(500_000), reader(500_000), reader(400_000)] as const;
    unread.wrote(dripping);
    unread.wrote(resting);
    pass();
    resting.writableLength = 400_000;
    for (let looks = 0; looks < 10; looks++) {
      dripping.writableLength -= 1_000;
      assert.equal(unread.bytes, dripping.writableLength + resting.writableLength);
      pass();
    }
    unread.wrote(last);
    assert.deepEqual([dripping.isCut, resting.isCut, last.isCut], [true, false, false]);
  });

  it("look no fresher by what is written on top of them and read again", () => {
    const { unread, pass } = open();
    const [stream, idle, last] = [reader(400_000), reader(500_000), reader(100_001)] as const;
    unread.wrote(stream);
    pass();
    unread.wrote(idle);
    for (let looks = 0; looks < 10; looks++) {
      stream.writableLength += 10_000;
      unread.wrote(stream);
      stream.writableLength -= 10_000;
      assert.equal(unread.bytes, 900_000);
      pass();
    }
    unread.wrote(last);
    assert.deepEqual([stream.isCut, idle.isCut, last.isCut], [true, false, false]);
  });

  it("are counted where their connection belongs, and nowhere if it belongs to nobody", () => {
    const { unread } = open();
    const [own, strange] = [new Socket(), new Socket()];
    unread.watch(own);
    hasWritten(reader(100_000), own);
    hasWritten(reader(200_000), strange);
    hasWritten(reader(65_536), own);
    assert.equal(unread.bytes, 100_000);
  });
});
