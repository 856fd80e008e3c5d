/** How endpoints come, go, come back and change, each for itself. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { afterEach, describe, it } from "node:test";
import { type BrokerLink, CloudBroker, EVICTED, Relay } from "../../../test/support/devices/index.ts";
import { untilLeft } from "../../../test/support/fake-gateway.ts";
import { until } from "../../../test/support/processes.ts";
import { anEndpoint, type Dialled, dialling } from "../../../test/support/xiaozhi-ports.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";

let dialled: Dialled;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await dialled.endpoints.close();
  for (const close of closers.splice(0).reverse()) await close();
  assert.deepEqual(dialled.endpoints.status(), []);
  assert.equal(dialled.clock.pending, 0, "a timer is left");
  assert.equal(dialled.gateway.listeners.size, 0, "a listener is left");
});

async function broker(options: Parameters<typeof CloudBroker.start>[0] = {}): Promise<CloudBroker> {
  const started = await CloudBroker.start(options);
  closers.push(() => started.close());
  return started;
}

/** Takes connections and says nothing. */
async function mute(): Promise<string> {
  const listening: Server = createServer((socket) => socket.on("error", () => {}).resume());
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => listening.close(resolve)));
  const address = listening.address();
  return `ws://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
}

const lastError = (): string | null | undefined => dialled.endpoints.status()[0]?.lastError;

describe("a connection that is lost", () => {
  it("is back within its backoff, and the far end served as before", async () => {
    const cloud = await broker();
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    for (const round of [1, 2, 3]) {
      const link = await cloud.next();
      assert.deepEqual(await link.names(), ["lamp"]);
      cloud.cutAll();
      await dialled.is("waiting");
      assert.equal(lastError(), "the connection was lost");
      await dialled.pass(998);
      assert.equal(cloud.dials.length, round);
      // It had begun a conversation each time, and so the pause is never longer.
      await dialled.pass(1);
      await until("it is dialled again", () => cloud.dials.length === round + 1);
    }
    await cloud.next();
    await dialled.is("connected");
    assert.equal(dialled.endpoints.status()[0]?.attempts, 0);
  });

  it("is looked for ever more slowly where nobody is there, and told of once", async () => {
    const cloud = await CloudBroker.start();
    const { port } = cloud;
    await cloud.close();
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(`ws://127.0.0.1:${port}/mcp/?token=t`)]);
    for (const [place, ms] of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
      await until("it is waiting", () => dialled.lines.length === place + 1);
      assert.equal(dialled.lines[place]?.fields["nextTryMs"], ms - 1);
      assert.equal(dialled.endpoints.status()[0]?.attempts, place + 1);
      await dialled.pass(ms);
    }
    assert.deepEqual(
      dialled.lines.filter(({ level }) => level !== "debug").map(({ fields }) => fields["reason"]),
      ["connection refused"],
    );
    const again = await CloudBroker.start({ port });
    closers.push(() => again.close());
    await until("it is waiting", () => dialled.lines.length >= 9);
    await dialled.pass(60_000);
    await again.next();
    await until("it is told", () => dialled.lines.some(({ message }) => message === "voice endpoint connected"));
  });

  it("is one that does not answer pings", async () => {
    const cloud = await broker();
    dialled = dialling({ pingMs: 30 });
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    const { socket } = await cloud.next();
    // Whoever has no ears does not answer.
    socket.pause();
    await dialled.is("waiting");
    assert.equal(lastError(), "it does not answer pings");
  });

  it("is one that sends more than can be taken", async () => {
    const cloud = await broker();
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    const { socket, frames } = await cloud.next();
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { pad: "x".repeat(100_000) } }));
    assert.equal((await frames.closed).code, 1009);
    await dialled.is("waiting");
    assert.equal(lastError(), "it sent a message larger than 100000 bytes");
    await dialled.pass(1_000);
    assert.deepEqual(await (await cloud.next()).names(), ["lamp"]);
  });
});

describe("a far end that sends us away", () => {
  const codes: readonly (readonly [number, string, RegExp])[] = [
    [
      4004,
      "Internal server error",
      /did not understand our greeting or our list of tools.*4004: Internal server error/,
    ],
    [4001, "Unauthorized", /does not accept our token.*4001/],
    [1008, "Invalid token", /does not accept our token.*1008/],
    [1011, "", /it failed \(1011\)/],
  ];
  for (const [code, text, words] of codes) {
    it(`with ${code} is not stormed, and why is told`, async () => {
      const cloud = await broker();
      dialled = dialling();
      dialled.endpoints.apply([anEndpoint(cloud.url())]);
      for (const ms of [1_000, 2_000, 4_000]) {
        (await cloud.next()).socket.close(code, text);
        await dialled.is("waiting");
        assert.equal(dialled.lines.at(-1)?.fields["nextTryMs"], ms - 1);
        await dialled.pass(ms);
      }
      const told = dialled.lines.filter(({ level }) => level === "warn");
      assert.equal(told.length, 1);
      assert.match(String(told[0]?.fields["reason"]), words);
    });
  }

  it("by its answer to the handshake is told of", async () => {
    const cloud = await broker({ tokens: ["other"] });
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    await dialled.is("waiting");
    assert.equal(
      lastError(),
      "it refused our credentials (HTTP 401): check the key or the headers that are set for it",
    );
  });

  it("because somebody else came with our token is not fought for", async () => {
    const relay = await Relay.start("t");
    closers.push(() => relay.close());
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(relay.toolUrl("t"))]);
    await relay.served("t");
    relay.toolSides[0]?.socket.close(EVICTED.code, EVICTED.reason);
    await dialled.is("waiting");
    assert.match(lastError() ?? "", /^another connection with the same token took our place/);
    assert.ok(dialled.lines.some(({ level, fields }) => level === "warn" && fields["reason"] === lastError()));
    await dialled.pass(60_000);
    assert.equal(relay.dials.length, 1);
    await dialled.pass(60_000);
    await until("it is tried again", () => relay.dials.length === 2);
  });
});

describe("an endpoint that cannot be dialled", () => {
  it("because there is no such agent is not dialled until there is", async () => {
    const cloud = await broker();
    let exists = false;
    const noSuch = new ZaguanError("NO_SUCH", { params: { kind: "agent", name: "salon" } });
    dialled = dialling({
      actingAs: async (name) => {
        if (!exists) throw noSuch;
        return { id: "agent:1", kind: "agent", name, links: { find: () => undefined } };
      },
    });
    dialled.endpoints.apply([anEndpoint(cloud.url(), { agent: "salon" })]);
    await dialled.is("waiting");
    assert.match(lastError() ?? "", /salon/);
    assert.equal(cloud.dials.length, 0);
    exists = true;
    await dialled.pass(1_000);
    await cloud.next();
  });

  it("because it leads to a private address says so where that is not allowed", async () => {
    const cloud = await broker();
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(cloud.url(), { allowPrivate: false })]);
    await dialled.is("waiting");
    assert.equal(cloud.dials.length, 0);
    assert.match(lastError() ?? "", /127\.0\.0\.1/);
    assert.doesNotMatch(lastError() ?? "", /token/);
    await dialled.endpoints.close();
    dialled = dialling({ allowPrivate: true });
    dialled.endpoints.apply([anEndpoint(cloud.url(), { allowPrivate: false })]);
    await cloud.next();
  });

  it("because nobody answers there is given up after some time", async () => {
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(await mute())]);
    await until("its time runs", () => dialled.clock.pending > 0);
    await dialled.pass(20_000);
    await dialled.is("waiting");
    assert.equal(lastError(), "no connection in time");
  });

  it("for a reason that nobody foresaw is reported, and tried again", async () => {
    const cloud = await broker();
    const actingAs = (): never => {
      throw new TypeError("oops");
    };
    dialled = dialling({ actingAs });
    dialled.endpoints.apply([anEndpoint(cloud.url(), { agent: "salon" })]);
    await dialled.is("waiting");
    assert.equal(lastError(), "it failed in an unexpected way");
    assert.equal((dialled.reported[0] as Error).message, "oops");
  });
});

describe("a change of the configuration", () => {
  async function two(): Promise<{ a: CloudBroker; b: CloudBroker; links: readonly [BrokerLink, BrokerLink] }> {
    const [a, b] = [await broker(), await broker()];
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(a.url(), { name: "a" }), anEndpoint(b.url(), { name: "b" })]);
    return { a, b, links: [await a.next(), await b.next()] };
  }

  it("finds several served at once", async () => {
    const { links } = await two();
    for (const link of links) assert.deepEqual(await link.names(), ["lamp"]);
    await dialled.is("connected", "a");
    await dialled.is("connected", "b");
    assert.deepEqual(
      dialled.endpoints.status().map(({ name, state, attempts }) => [name, state, attempts]),
      [
        ["a", "connected", 0],
        ["b", "connected", 0],
      ],
    );
  });

  it("that changes nothing is noticed by nobody, nor is a new name", async () => {
    const { a, b, links } = await two();
    dialled.endpoints.apply([anEndpoint(b.url(), { name: "b" }), anEndpoint(a.url(), { name: "c" })]);
    for (const link of links) assert.deepEqual((await link.ask("ping")).result, {});
    assert.deepEqual([a.dials.length, b.dials.length], [1, 1]);
    assert.deepEqual(
      dialled.endpoints.status().map(({ name }) => name),
      ["b", "c"],
    );
  });

  for (const what of ["left out", "disabled"]) {
    it(`ends one that is ${what}, and leaves the other alone`, async () => {
      const { a, b, links } = await two();
      const rest = [anEndpoint(b.url(), { name: "b" })];
      const gone = anEndpoint(a.url(), { name: "a", disabled: true });
      dialled.endpoints.apply(what === "disabled" ? [gone, ...rest] : rest);
      assert.equal((await links[0].frames.closed).code, 1000);
      assert.deepEqual((await links[1].ask("ping")).result, {});
      assert.deepEqual(
        dialled.endpoints.status().map(({ name }) => name),
        ["b"],
      );
      await dialled.pass(120_000);
      assert.deepEqual([a.dials.length, b.dials.length], [1, 1]);
    });
  }

  it("dials one that is changed anew, once the old connection is gone and its calls are answered", async () => {
    const { a, b, links } = await two();
    const slow = Promise.withResolvers<Payload>();
    dialled.gateway.answer = () => slow.promise;
    const answered = links[0].ask("tools/call", { name: "lamp" });
    await until("it is called", () => dialled.gateway.calls.length > 0);
    dialled.endpoints.apply([anEndpoint(a.url("new"), { name: "a" }), anEndpoint(b.url(), { name: "b" })]);
    assert.deepEqual((await links[1].ask("ping")).result, {});
    assert.equal(a.dials.length, 1);
    slow.resolve(Payload.ofText('{"content":[]}'));
    assert.deepEqual((await answered).result, { content: [] });
    assert.equal((await links[0].frames.closed).code, 1000);
    assert.equal((await a.next()).dial.query.get("token"), "new");
    assert.deepEqual([a.dials.length, b.dials.length], [2, 1]);
  });
});

describe("closing", () => {
  it("gives running calls their answer, and refuses new ones", async () => {
    const cloud = await broker();
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    const link = await cloud.next();
    const slow = Promise.withResolvers<Payload>();
    dialled.gateway.answer = () => slow.promise;
    const answered = link.ask("tools/call", { name: "lamp" });
    await until("it is called", () => dialled.gateway.calls.length > 0);
    const closed = dialled.endpoints.close();
    assert.equal((await link.ask("tools/call", { name: "lamp" })).error?.code ?? "a result", -32004);
    slow.resolve(Payload.ofText('{"content":[]}'));
    assert.deepEqual((await answered).result, { content: [] });
    await closed;
    assert.equal((await link.frames.closed).code, 1000);
  });

  it("does not wait for ever for a call that does not end", async () => {
    const cloud = await broker();
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    const link = await cloud.next();
    dialled.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    link.send({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "lamp" } });
    await until("it is called", () => dialled.gateway.calls.length > 0);
    const closed = dialled.endpoints.close();
    await dialled.pass(5_000);
    await closed;
    assert.ok(dialled.gateway.calls[0]?.signal?.aborted);
  });

  it("ends what is being dialled, what waits, and what was about to begin", async () => {
    const cloud = await broker({ greets: false });
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(await mute(), { name: "mute" })]);
    await until("its time runs", () => dialled.clock.pending > 0);
    await dialled.endpoints.close();
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    assert.deepEqual(dialled.endpoints.status(), []);

    dialled = dialling();
    dialled.endpoints.apply([anEndpoint("ws://127.0.0.1:1/")]);
    await dialled.is("waiting");
    await dialled.endpoints.close();

    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    await dialled.endpoints.close();
    assert.equal(cloud.links.length, 0);
  });
});
