import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BadPacket, MqttPackets } from "./mqtt-packets.ts";

const PINGRESP = Buffer.from([0xd0, 0]);

describe("the borders of MQTT packets", () => {
  it("leave a stream as it is, however it is cut", () => {
    const stream = Buffer.concat([message(5), PINGRESP, message(200), message(20_000), PINGRESP]);
    for (const size of [1, 2, 3, 7, 1_000, stream.length]) {
      const { packets, seen } = open(100_000);
      const passed = pieces(stream, size).flatMap((piece) => packets.take(piece));
      assert.ok(Buffer.concat(passed).equals(stream), `pieces of ${size}`);
      assert.deepEqual(seen, { controls: 2, leftOut: [] });
    }
  });

  it("let a message go that is too large, and nothing else", () => {
    const large = message(5_000);
    const stream = Buffer.concat([message(5), large, PINGRESP, message(6)]);
    for (const size of [1, 4, 100, stream.length]) {
      const { packets, seen } = open(1_000);
      const passed = Buffer.concat(pieces(stream, size).flatMap((piece) => packets.take(piece)));
      assert.ok(passed.equals(Buffer.concat([message(5), PINGRESP, message(6)])));
      assert.deepEqual(seen, { controls: 1, leftOut: [large.length] });
    }
  });

  it("count the largest length that there is", () => {
    const { packets, seen } = open(1_000);
    packets.take(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]));
    assert.deepEqual(seen.leftOut, [268_435_460]);
  });

  const bad: readonly (readonly [string, Buffer])[] = [
    ["a length of five bytes", Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01])],
    ["a message of QoS 1", Buffer.from([0x32, 5])],
    ["a message of QoS 2", Buffer.from([0x34, 5])],
    ["anything else that is too large", Buffer.from([0x90, 0xff, 0xff, 0x7f])],
  ];
  for (const [what, bytes] of bad) {
    it(`end the stream at ${what}`, () => assert.throws(() => open(1_000).packets.take(bytes), BadPacket));
  }
});

function open(maxBytes: number) {
  const seen = { controls: 0, leftOut: [] as number[] };
  const packets = new MqttPackets({
    maxBytes,
    onControl: () => seen.controls++,
    onLeftOut: (bytes) => seen.leftOut.push(bytes),
  });
  return { packets, seen };
}

/** A message of QoS 0 with so many bytes behind its header. */
function message(length: number): Buffer {
  const header = [0x30];
  for (let left = length; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.concat([Buffer.from([...header, left]), Buffer.alloc(length, 7)]);
    header.push((left % 128) | 0x80);
  }
}

function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
