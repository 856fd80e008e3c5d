import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as vector from "../../../test/support/infrared/vectors.ts";
import { Random } from "../../../test/support/seed.ts";
import { AFN, durationsOf, encodeFrame, FrameDecoder, hexOf, parseHex } from "./frame.ts";

describe("a frame", () => {
  const requests: readonly (readonly [string, Buffer, string])[] = [
    ["enter learning", encodeFrame(AFN.enterLearning), vector.ENTER],
    ["exit learning", encodeFrame(AFN.exitLearning), vector.EXIT],
    ["get baud", encodeFrame(AFN.getBaud), vector.GET_BAUD],
    ["get address", encodeFrame(AFN.getAddress), vector.GET_ADDRESS],
    ["send internal 0", encodeFrame(AFN.sendInternal, Buffer.of(0)), vector.SEND_INTERNAL],
    ["an answer of module 0", encodeFrame(AFN.ack, Buffer.of(0), 0), vector.ACK],
    ["a learned code", encodeFrame(AFN.external, bytes(vector.CODE), 0), vector.LEARNED],
  ];
  for (const [name, made, expected] of requests) {
    it(`is made as in the manual: ${name}`, () => assert.equal(hexOf(made), expected));
  }

  it("has its length low byte first", () => {
    assert.equal(hexOf(encodeFrame(AFN.external, Buffer.alloc(251)).subarray(0, 3)), "68 02 01");
  });
});

describe("the decoder", () => {
  const replies: readonly (readonly [string, number, string])[] = [
    [vector.ACK, AFN.ack, "00"],
    [vector.REFUSAL, AFN.ack, "01"],
    [vector.BAUD, AFN.getBaud, "04"],
    [vector.ADDRESS, AFN.getAddress, "00"],
    [vector.LEARNED, AFN.external, vector.CODE],
  ];
  for (const [frame, afn, data] of replies) {
    it(`reads ${frame.slice(0, 24)} …`, () => {
      assert.deepEqual(seen(frame), [{ afn, data, intact: true }]);
    });

    it(`reads ${frame.slice(0, 24)} … a byte at a time`, () => {
      assert.deepEqual(seen(...frame.split(" ")), [{ afn, data, intact: true }]);
    });
  }

  it("reads frames that are glued together, wherever they are split", () => {
    const line = `${vector.ACK} ${vector.LEARNED} ${vector.BAUD}`.split(" ");
    for (let at = 0; at <= line.length; at += 1) {
      const parts = [line.slice(0, at).join(" "), line.slice(at).join(" ")];
      assert.deepEqual(
        seen(...parts).map(({ afn, intact }) => [afn, intact]),
        [
          [AFN.ack, true],
          [AFN.external, true],
          [AFN.getBaud, true],
        ],
      );
    }
  });

  const noises: readonly (readonly [string, string])[] = [
    ["bytes before it", "00 16 ff"],
    ["a start that is none", "68"],
    ["a length too small", "68 02 00"],
    ["a length too large", "68 ff ff"],
    ["the wrong end", "68 08 00 00 01 00 01 17"],
    ["its own beginning", "68 08 00 00"],
  ];
  for (const [name, noise] of noises) {
    it(`finds a frame behind ${name}`, () => {
      const decoder = new FrameDecoder();
      const frames = [...decoder.push(bytes(`${noise} ${vector.ACK}`)), ...decoder.flush()];
      assert.deepEqual(
        frames.filter(({ intact }) => intact).map(({ bytes }) => hexOf(bytes)),
        [vector.ACK],
      );
      assert.equal(decoder.waiting, false);
    });
  }

  it("tells a frame with a wrong sum from an intact one, and finds the one behind it", () => {
    const wrong = vector.ACK.replace("01 16", "02 16");
    assert.deepEqual(
      seen(`${wrong} ${vector.ACK}`).map(({ intact }) => intact),
      [false, true],
    );
  });

  it("waits for what is missing until the line falls silent", () => {
    const decoder = new FrameDecoder();
    assert.deepEqual(decoder.push(bytes("68 40 00")), []);
    assert.deepEqual(decoder.push(bytes(vector.ACK)), []);
    assert.equal(decoder.waiting, true);
    assert.deepEqual(
      decoder.flush().map(({ afn }) => afn),
      [AFN.ack],
    );
    assert.equal(decoder.waiting, false);
  });

  it("keeps nothing of a line that only makes noise", () => {
    const decoder = new FrameDecoder();
    for (let round = 0; round < 100; round += 1) assert.deepEqual(decoder.push(Buffer.alloc(4096, 0x55)), []);
    assert.equal(decoder.waiting, false);
  });

  it("finds every frame in seeded noise, in any pieces", () => {
    const random = new Random();
    for (let round = 0; round < 200; round += 1) {
      const decoder = new FrameDecoder();
      // No 68 in the noise: what looks like a start may swallow what follows until the line falls silent.
      const noise = (): Buffer => Buffer.from(Array.from({ length: random.int(9) }, () => random.int(0x68)));
      const line = Buffer.concat([noise(), bytes(vector.ACK), noise(), bytes(vector.LEARNED), noise()]);
      const frames = [];
      for (let at = 0; at < line.length; ) {
        const size = 1 + random.int(20);
        frames.push(...decoder.push(line.subarray(at, at + size)));
        at += size;
      }
      assert.deepEqual(
        frames.map(({ bytes }) => hexOf(bytes)),
        [vector.ACK, vector.LEARNED],
      );
    }
  });
});

describe("the durations of a code", () => {
  it("are units of 8 µs, as in the sample", () => {
    assert.deepEqual(durationsOf(bytes("a9 04 c5 04 39 4d 3f 50")), [4424, 4648, 456, 616, 504, 640]);
    assert.equal(bytes(vector.LONG_CODE).length, 91);
    assert.equal(durationsOf(bytes(vector.LONG_CODE))?.length, 73);
  });

  it("are as in the manual: 800 µs and 8000 µs, and the largest of one, two and three bytes", () => {
    assert.deepEqual(durationsOf(bytes("64 e8 07")), [800, 8000]);
    assert.deepEqual(
      durationsOf(bytes("7f ff 7f ff ff 7f"))?.map((us) => us / 8),
      [127, 16_383, 2_097_151],
    );
  });

  it("are none where a number does not end", () => {
    assert.equal(durationsOf(bytes("64 e8")), undefined);
    assert.equal(durationsOf(bytes("ff ff ff 01")), undefined);
  });
});

describe("hexadecimal text", () => {
  for (const text of ["68 7c 00", "687c00", " 68\t7C\n00 \r\n", "68  7c\n\n00"]) {
    it(`is understood: ${JSON.stringify(text)}`, () => assert.equal(hexOf(bytes(text)), "68 7c 00"));
  }
  for (const text of ["", " ", "6", "6 8", "68 7", "0x68", "68,7c", "zz", "６８"]) {
    it(`is not: ${JSON.stringify(text)}`, () => assert.equal(parseHex(text), undefined));
  }
});

function bytes(hex: string): Buffer {
  return parseHex(hex) ?? assert.fail(`not hexadecimal: ${hex}`);
}

function seen(...chunks: readonly string[]) {
  const decoder = new FrameDecoder();
  const frames = chunks.flatMap((chunk) => (chunk === "" ? [] : decoder.push(bytes(chunk))));
  return frames.map(({ afn, data, intact }) => ({ afn, data: hexOf(data), intact }));
}
