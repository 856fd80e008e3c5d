/** The connection to a broker, against something at its address that behaves as told; the real one is in test/mqtt. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { until } from "../../test/support/processes.ts";
import { never } from "../../test/support/supervised.ts";
import { ZaguanError } from "../errors.ts";
import { addOwnAddress } from "../security/addresses.ts";
import { type MqttLink, type MqttLinkOptions, openMqtt } from "./mqtt.ts";

const LET_IN_5 = Buffer.from([0x20, 3, 0, 0, 0]);
const LET_IN_4 = Buffer.from([0x20, 2, 0, 0]);
const SUBSCRIBE = 8;
const PUBLISH = 3;

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

describe("a broker", () => {
  it("of MQTT 3.1.1 is found out once, whether it says so or just leaves", async () => {
    const ways: readonly ((socket: Socket) => void)[] = [
      (socket) => socket.end(Buffer.from([0x20, 2, 0, 1])),
      (socket) => socket.end(Buffer.from([0x20, 3, 0, 0x84, 0])),
      (socket) => socket.destroy(),
    ];
    for (const refuse of ways) {
      const versions: number[] = [];
      const port = await pretend((socket, packet) => {
        if (packet[0] !== 0x10) return;
        versions.push(packet[8] ?? 0);
        if (packet[8] === 5) refuse(socket);
        else socket.write(LET_IN_4);
      });
      const memory = {};
      const first = await open(port, { memory });
      assert.equal(first.version, 4);
      await open(port, { memory });
      assert.deepEqual(versions, [5, 4, 4]);
    }
  });

  it("that speaks another version than it did is tried in both again", async () => {
    const port = await pretend((socket, packet) => {
      if (packet[0] !== 0x10) return;
      if (packet[8] === 5) socket.destroy();
      else socket.write(LET_IN_4);
    });
    const memory: MqttLinkOptions["memory"] = { version: 5 };
    assert.equal((await failure(open(port, { memory }))).code, "SOURCE_UNAVAILABLE");
    assert.equal((await open(port, { memory })).version, 4);
  });

  it("that lets nobody in says why, and waits before it is asked again", async () => {
    const refusals: readonly (readonly [code: number, reason: RegExp])[] = [
      [0x86, /user name or password/],
      [0x87, /user name or password/],
      [0x85, /client id/],
      [0x89, /busy/],
      [0x9f, /reason code 159/],
    ];
    for (const [code, reason] of refusals) {
      const port = await pretend((socket) => socket.end(Buffer.from([0x20, 3, 0, code, 0])));
      const error = await failure(open(port, { username: "me", password: "pa55word" }));
      assert.equal(error.code, "SOURCE_UNAVAILABLE");
      assert.match(String(error.details.params?.["reason"]), reason);
      assert.equal(error.delivery, "not_sent");
      assert.doesNotMatch(JSON.stringify(error) + error.message + error.stack, /pa55word/);
      if (code === 0x86) assert.ok((error.details.retryAfterMs ?? 0) >= 10_000);
    }
  });

  it("that is the hub itself, or in a network that is not allowed, is not dialled", async () => {
    let dialled = 0;
    const port = await pretend(() => dialled++);
    assert.equal((await failure(open(port, { allowPrivate: false }))).code, "FORBIDDEN_ADDRESS");
    cleanups.push(addOwnAddress({ address: "127.0.0.1", port }));
    assert.equal((await failure(open(port))).code, "OWN_ADDRESS");
    for (const url of [`mqtt://localhost:${port}`, `ws://127.0.0.1:${port}`, `mqtts://127.0.0.1:${port}`]) {
      assert.equal((await failure(open(port, { url }))).code, "OWN_ADDRESS", url);
    }
    assert.equal(dialled, 0);
  });

  it("that cannot be reached says so in plain words", async () => {
    const reasons: readonly (readonly [url: string, reason: string])[] = [
      ["mqtt://127.0.0.1:1", "connection refused"],
      ["mqtt://nowhere.invalid", "host name not found"],
    ];
    for (const [url, reason] of reasons) {
      const error = await failure(open(1, { url }));
      assert.equal(error.details.params?.["reason"], reason);
    }
    const lost = await failure(
      open(1, { url: "mqtts://127.0.0.1:1", tls: { ca: "/nowhere", rejectUnauthorized: true } }),
    );
    assert.match(String(lost.details.params?.["reason"]), /file of its TLS settings/);
  });

  it("that says nothing is given up with the patience of who asks", async () => {
    const port = await pretend(() => {});
    const stop = AbortSignal.timeout(50);
    await assert.rejects(openMqtt(optionsFor(port), stop));
  });

  const breaches: readonly (readonly [string, Buffer])[] = [
    ["sends what is no MQTT", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n".repeat(10))],
    ["sends a message of a quality that nobody asked for", Buffer.from([0x32, 6, 0, 1, 0x61, 0, 1, 0x78])],
    ["sends a packet beyond all bounds", Buffer.from([0x90, 0xff, 0xff, 0xff, 0x7f])],
  ];
  for (const [what, bytes] of breaches) {
    it(`that ${what} is left`, async () => {
      const port = await pretend((socket, packet) => socket.write(packet[0] === 0x10 ? LET_IN_5 : bytes));
      const link = await open(port);
      await failure(link.ping(never));
      assert.equal((await link.closed).kind, "unfit");
    });
  }

  it("that floods is read slowly, and those who wait for anything else are served", async () => {
    const message = Buffer.from([0x30, 4, 0, 1, 0x61, 0]);
    const flood = Buffer.concat(Array.from({ length: 20_000 }, () => message));
    const port = await pretend(
      (socket, packet) => packet[0] === 0x10 && socket.write(Buffer.concat([LET_IN_5, flood])),
    );
    let heard = 0;
    const start = performance.now();
    await open(port, { onMessage: () => heard++ });
    let mostInTurn = 0;
    while (heard < 2_500) {
      const before = heard;
      await new Promise((resolve) => setImmediate(resolve));
      mostInTurn = Math.max(mostInTurn, heard - before);
    }
    const seconds = (performance.now() - start) / 1_000;
    assert.ok(heard < 2_200 + 1_000 * seconds, `${heard} messages in ${seconds} s`);
    assert.ok(mostInTurn < 500, `${mostInTurn} messages before others had a turn`);
  });
});

describe("a message to a broker", () => {
  it("that dies before it has acknowledged may or may not have been sent", async () => {
    const port = await pretend((socket, packet) => {
      if (packet[0] === 0x10) socket.write(LET_IN_5);
      if ((packet[0] ?? 0) >> 4 === PUBLISH) socket.destroy();
    });
    const link = await open(port);
    const error = await failure(link.publish("a", "1", { qos: 1, retain: false }, never));
    assert.deepEqual([error.code, error.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    const later = await failure(link.publish("a", "1", { qos: 1, retain: false }, never));
    assert.deepEqual([later.code, later.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
  });

  it("that nobody waits for any more may have been sent, or was never written", async () => {
    let written = 0;
    const leaving = new AbortController();
    const port = await pretend((socket, packet) => {
      if (packet[0] === 0x10) socket.write(LET_IN_5);
      if ((packet[0] ?? 0) >> 4 !== PUBLISH) return;
      written++;
      leaving.abort(new DOMException("nobody waits", "TimeoutError"));
    });
    const link = await open(port);
    const error = await failure(link.publish("a", "1", { qos: 1, retain: false }, leaving.signal));
    assert.equal(error.delivery, "unknown");
    const never2 = AbortSignal.abort(new ZaguanError("CANCELLED"));
    assert.equal((await failure(link.publish("a", "1", { qos: 1, retain: false }, never2))).delivery, "not_sent");
    assert.equal(written, 1);
  });

  it("that refuses it says so", async () => {
    const port = await pretend((socket, packet) => {
      if (packet[0] === 0x10) socket.write(LET_IN_5);
      // The id stands behind the topic "a".
      if ((packet[0] ?? 0) >> 4 === PUBLISH) socket.write(Buffer.from([0x40, 3, packet[5] ?? 0, packet[6] ?? 0, 0x87]));
    });
    const link = await open(port);
    await assert.rejects(link.publish("a", "1", { qos: 1, retain: false }, never), { name: "Error", code: 0x87 });
  });

  it("is never sent again", async () => {
    let published = 0;
    const port = await pretend((socket, packet) => {
      if (packet[0] === 0x10) socket.write(LET_IN_5);
      if ((packet[0] ?? 0) >> 4 === PUBLISH) {
        published++;
        socket.destroy();
      }
    });
    const options = optionsFor(port);
    const first = await openMqtt(options, never);
    await failure(first.publish("a", "1", { qos: 2, retain: false }, never));
    const second = await openMqtt(options, never);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await second.close();
    assert.equal(published, 1);
  });
});

it("subscriptions that a broker refuses are told, and the others hold", async () => {
  const port = await pretend((socket, packet) => {
    if (packet[0] === 0x10) socket.write(LET_IN_5);
    if ((packet[0] ?? 0) >> 4 === SUBSCRIBE)
      socket.write(Buffer.from([0x90, 5, packet[2] ?? 0, packet[3] ?? 0, 0, 0x87, 0]));
  });
  assert.deepEqual(await (await open(port)).subscribe(["a", "b"], never), ["a"]);
});

it("a goodbye is said, and waited for no longer than a moment", async () => {
  const said: number[] = [];
  const port = await pretend((socket, packet) => {
    said.push(packet[0] ?? 0);
    if (packet[0] === 0x10) socket.write(LET_IN_5);
  });
  const link = await open(port);
  await link.close();
  assert.equal((await link.closed).kind, "ours");
  await until("it was heard", () => said.includes(0xe0));
});

function optionsFor(port: number, more: Partial<MqttLinkOptions> = {}): MqttLinkOptions {
  return {
    url: `mqtt://127.0.0.1:${port}`,
    tls: { rejectUnauthorized: true },
    allowPrivate: true,
    name: "flat",
    maxBytes: 100_000,
    keepaliveSeconds: 30,
    memory: {},
    onMessage: () => {},
    onLeftOut: () => {},
    ...more,
  };
}

async function open(port: number, more: Partial<MqttLinkOptions> = {}): Promise<MqttLink> {
  const link = await openMqtt(optionsFor(port, more), never);
  cleanups.push(() => link.close());
  return link;
}

async function failure(promise: Promise<unknown>): Promise<ZaguanError> {
  const error = await promise.then(
    () => assert.fail("it did not fail"),
    (cause) => cause,
  );
  assert.ok(error instanceof ZaguanError, String(error));
  return error;
}

/** Something at a broker's address that does with each chunk as told; packets here are small and come one by one. */
async function pretend(behave: (socket: Socket, packet: Buffer) => unknown): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk) => behave(socket, chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
