/** Connections to a real mosquitto: who is let in, over what, and what is said to those who are not. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { ZaguanError } from "../../src/errors.ts";
import type { MqttOptions } from "../../src/sources/mqtt/broker.ts";
import type { Connection } from "../../src/sources/source.ts";
import { certificates, freePort, NO_MOSQUITTO, passwordFile, startMosquitto } from "../support/mqtt/mosquitto.ts";
import { connectBroker, openOther, optionsFor } from "../support/mqtt/open-broker.ts";
import { ask, callTool, textOf, untilAsked } from "../support/open-house.ts";
import { until } from "../support/processes.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("a broker lets us in", { skip: NO_MOSQUITTO }, () => {
  it("without a name, in MQTT 5", async () => {
    const { port, log } = await start();
    const house = await connect(optionsFor(port));
    assert.equal((await ask(house, "ping")) !== undefined, true);
    await until("the broker tells of us", () =>
      /New client connected .* as zaguan-[0-9a-f]{12} \(p5, c1, k30\)/.test(log()),
    );
  });

  it("with a name and a password, and with no other", async () => {
    const prepare = async (folder: string) => [`password_file ${passwordFile(folder, "hub", "pa55word!")}`];
    const { port } = await start({ lines: ["allow_anonymous false"], prepare });
    await connect(optionsFor(port, { username: "hub", password: "pa55word!" }));
    for (const given of [
      {},
      { username: "hub", password: "wr0ngword" },
      { username: "nobody", password: "pa55word!" },
    ]) {
      const error = await failure(optionsFor(port, given));
      assert.match(String(error.details.params?.["reason"]), /refused the user name or password/);
      assert.doesNotMatch(JSON.stringify(error) + error.stack, /pa55word|wr0ngword/);
    }
  });

  it("over TLS, if its certificate is good", async () => {
    const made: { files?: ReturnType<typeof certificates> } = {};
    const prepare = async (folder: string) => {
      made.files = certificates(folder);
      return [
        `cafile ${made.files.ca}`,
        `certfile ${made.files.cert}`,
        `keyfile ${made.files.key}`,
        "require_certificate true",
      ];
    };
    const { port } = await start({ prepare });
    const { ca = "", clientCert: cert, clientKey: key } = made.files ?? {};
    const url = `mqtts://127.0.0.1:${port}`;
    await connect(optionsFor(port, { url, tls: { ca, cert, key, rejectUnauthorized: true } }));
    await connect(optionsFor(port, { url, tls: { cert, key, rejectUnauthorized: false } }));
    const stranger = await failure(optionsFor(port, { url }));
    assert.match(String(stranger.details.params?.["reason"]), /certificate is not trusted/);
    const withoutOwn = await failure(optionsFor(port, { url, tls: { ca, rejectUnauthorized: true } }));
    assert.equal(withoutOwn.code, "SOURCE_UNAVAILABLE");
    const plain = await failure(optionsFor(port));
    assert.equal(plain.code, "SOURCE_UNAVAILABLE");
  });

  it("over a WebSocket, with TLS or without", async () => {
    // mosquitto 2.0.11 wants a listener of another kind beside.
    const lines = async () => ["protocol websockets", "allow_anonymous true", `listener ${await freePort()} 127.0.0.1`];
    const { port } = await start({ lines: await lines() });
    const house = await connect(optionsFor(port, { url: `ws://127.0.0.1:${port}/mqtt`, publish: ["#"] }));
    await callTool(house, "publish", { topic: "over/ws", text: "x".repeat(100_000) });
    await untilAsked(
      "it came back",
      async () => textOf(await callTool(house, "read_topic", { topic: "over/ws" })).length === 100_000,
    );
    let ca = "";
    const prepare = async (folder: string) => {
      const files = certificates(folder);
      ca = files.ca;
      return ["protocol websockets", `certfile ${files.cert}`, `keyfile ${files.key}`, ...(await lines()).slice(2)];
    };
    const secure = await start({ prepare });
    const url = `wss://127.0.0.1:${secure.port}/mqtt`;
    await connect(optionsFor(secure.port, { url, tls: { ca, rejectUnauthorized: true } }));
    assert.match(
      String((await failure(optionsFor(secure.port, { url }))).details.params?.["reason"]),
      /certificate is not trusted/,
    );
  });
});

describe("what is too large", { skip: NO_MOSQUITTO }, () => {
  it("for the broker is not sent, where the broker said how much it takes", async () => {
    const { port } = await start({ lines: ["allow_anonymous true", "max_packet_size 1000"] });
    const house = await connect(optionsFor(port, { publish: ["#"] }));
    const publish = (bytes: number) => callTool(house, "publish", { topic: "a", text: "x".repeat(bytes) }, "en");
    assert.match(textOf(await publish(2_000)), /larger than the broker accepts/);
    assert.match(textOf(await publish(991)), /larger than the broker accepts/);
    assert.equal((await publish(989)).isError, false);
  });

  it("for the broker, where it did not say so, is not told as sent", async () => {
    const { port } = await start({ lines: ["allow_anonymous true", "message_size_limit 1000"] });
    const house = await connect(optionsFor(port, { publish: ["#"] }));
    const publish = (bytes: number) => callTool(house, "publish", { topic: "a", text: "x".repeat(bytes) }, "en");
    assert.equal((await publish(1_000)).isError, false);
    // mosquitto 2.0 acknowledges it with a reason code that MQTT does not have there, which ends the connection.
    const large = await publish(2_000).catch((error: ZaguanError) => error);
    assert.ok("code" in large ? large.code === "OUTCOME_UNKNOWN" : large.isError);
  });

  it("for us is left out, and everything else goes on", async () => {
    const { port } = await start();
    const other = await openOther(port);
    cleanups.push(() => other.close());
    const house = await connect(optionsFor(port, { memory: { version: 4, lastHeard: new Map() } }));
    await other.say("camera/picture", Buffer.alloc(5_000_000));
    await other.say("camera/state", "idle");
    await untilAsked(
      "the next is here",
      async () => textOf(await callTool(house, "read_topic", { topic: "camera/state" })) === "idle",
    );
    const none = await callTool(house, "read_topic", { topic: "camera/picture" }, "en");
    assert.equal(none.structuredContent?.["found"], false);
    await other.say("camera/small", Buffer.alloc(300_000, "x"));
    await untilAsked("its size is known", async () =>
      textOf(await callTool(house, "read_topic", { topic: "camera/small" }, "en")).includes("300000"),
    );
  });
});

async function start(options: Parameters<typeof startMosquitto>[0] = {}) {
  const broker = await startMosquitto({ lines: ["allow_anonymous true"], ...options });
  cleanups.push(() => broker.stop());
  return broker;
}

async function connect(options: MqttOptions): Promise<Connection> {
  const { connection } = await connectBroker(options);
  cleanups.push(() => connection.close());
  return connection;
}

async function failure(options: MqttOptions): Promise<ZaguanError> {
  return connectBroker(options).then(
    () => assert.fail("it was let in"),
    (error: ZaguanError) => error,
  );
}
