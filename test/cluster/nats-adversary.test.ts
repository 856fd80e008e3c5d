/**
 * Another tenant of the same NATS, who hears and may publish everything and lacks only the secret. It can neither read, make
 * up, change, repeat, redirect nor throw back a message; what it can do stands in docs/bus.md, and the last two tests show it.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "node:test";
import { connect, headers, type Msg, type NatsConnection } from "@nats-io/transport-node";
import type { Refusal } from "../../src/bus/open.ts";
import { type NatsProcess, NO_NATS, openNode, startNats, type TestNode } from "../support/nats.ts";
import { until } from "../support/processes.ts";
import { Random } from "../support/seed.ts";

const CANARY = "canary-9f27c1e0";
const SECRET_SIZES = [10, 1_000, 100_000, 700_000];

interface Recorded {
  readonly subject: string;
  readonly reply: string | undefined;
  readonly data: Buffer;
}

/** Records all that is said on its NATS. */
class Tenant {
  readonly recorded: Recorded[] = [];
  readonly nats: NatsConnection;

  constructor(nats: NatsConnection) {
    this.nats = nats;
    nats.subscribe(">", { callback: (_error, message) => this.#record(message) });
  }

  #record({ subject, reply, data }: Msg): void {
    this.recorded.push({ subject, reply, data: Buffer.from(data) });
  }

  /** The recorded messages of nodes, without answers of NATS itself. */
  messages(): Recorded[] {
    return this.recorded.filter(({ subject }) => /^zaguan\.(?:n\.|all$)/.test(subject));
  }

  say(subject: string, data: Buffer): void {
    this.nats.publish(subject, data);
  }
}

let nats: NatsProcess;
let tenant: Tenant;
let [a, b, c]: TestNode[] = [];

function nodes(): [TestNode, TestNode, TestNode] {
  return [a, b, c] as [TestNode, TestNode, TestNode];
}

function heardTexts(): string[][] {
  return nodes().map(({ heard }) => heard.map(({ message }) => message));
}

function refusedBy(...reasons: readonly Refusal[]): number {
  return nodes().reduce(
    (sum, { bus }) => sum + reasons.reduce((all, reason) => all + bus.counts().refused[reason], 0),
    0,
  );
}

function refusedInAll(): number {
  return nodes().reduce(
    (sum, { bus }) => sum + Object.values(bus.counts().refused).reduce((one, other) => one + other, 0),
    0,
  );
}

/** The three tell each other something, and the tenant listens. */
async function converse(): Promise<void> {
  const [a, b, c] = nodes();
  for (const size of SECRET_SIZES) a.bus.send({ node: "b" }, `${CANARY}${"x".repeat(size)}${CANARY}`);
  b.bus.send({ node: "c", boot: c.bus.boot }, `${CANARY} to this life`);
  c.bus.cast(`${CANARY} to all`);
  await until(
    "all is said",
    () => a.heard.length === 1 && b.heard.length === SECRET_SIZES.length + 1 && c.heard.length === 1,
  );
  await tenant.nats.flush();
}

describe("another tenant of our NATS", { skip: NO_NATS }, () => {
  beforeEach(async () => {
    nats = await startNats();
    tenant = new Tenant(await connect({ servers: nats.url }));
    await tenant.nats.flush();
    [a, b, c] = [await openNode(nats.url, "a"), await openNode(nats.url, "b"), await openNode(nats.url, "c")];
    await converse();
  });

  afterEach(async () => {
    for (const { bus } of nodes()) await bus.close();
    await tenant.nats.close();
    await nats.stop();
  });

  it("hears every message and reads none", () => {
    assert.ok(tenant.messages().length > SECRET_SIZES.length + 2, `${tenant.messages().length} messages`);
    const everything = Buffer.concat(tenant.recorded.map(({ data }) => data));
    for (const encoding of ["utf8", "base64", "hex", "utf16le"] as const) {
      assert.ok(!everything.includes(Buffer.from(CANARY, "utf8").toString(encoding)), encoding);
    }
    assert.ok(!everything.includes(Buffer.from("x".repeat(16))), "a run of the same letter");
  });

  it("cannot repeat one", async () => {
    const before = heardTexts();
    const old = tenant.messages();
    for (let round = 0; round < 3; round++) for (const { subject, data } of old) tenant.say(subject, data);
    // Those to all come to the two others; at their sender they are its own, thrown back.
    const toAll = old.filter(({ subject }) => subject === "zaguan.all").length;
    await until("all were refused", () => refusedInAll() === 3 * (old.length + 2 * toAll));
    assert.equal(refusedBy("replayed", "reflected"), refusedInAll());
    assert.deepEqual(heardTexts(), before);
  });

  it("cannot change one", async () => {
    const before = heardTexts();
    const random = new Random();
    const small = tenant.messages().filter(({ data }) => data.length < 2_000);
    const count = 600;
    for (let index = 0; index < count; index++) {
      const { data } = random.pick(small);
      const changed = Buffer.from(data);
      const at = random.int(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.int(8));
      tenant.say("zaguan.n.b", changed);
    }
    await until("all were refused", () => refusedInAll() === count);
    assert.deepEqual(heardTexts(), before);
  });

  it("cannot move one to somebody else, or from one to all", async () => {
    const before = heardTexts();
    for (const { data } of tenant.messages()) for (const node of ["a", "b", "c"]) tenant.say(`zaguan.n.${node}`, data);
    for (const { subject, data } of tenant.messages()) if (subject !== "zaguan.all") tenant.say("zaguan.all", data);
    await tenant.nats.flush();
    for (const { bus } of nodes()) bus.cast("end");
    await until("the end was heard", () =>
      heardTexts().every((texts) => texts.filter((text) => text === "end").length === 2),
    );
    assert.deepEqual(
      heardTexts().map((texts) => texts.filter((text) => text !== "end")),
      before,
    );
    assert.ok(refusedBy("forged", "replayed", "reflected", "otherLife") === refusedInAll() && refusedInAll() > 20);
  });

  it("cannot repeat one to a node that has just started and remembers nothing", async () => {
    const old = tenant.messages().filter(({ subject }) => subject === "zaguan.n.c" || subject === "zaguan.n.b");
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    for (const { bus } of nodes().slice(1)) await bus.close();
    [b, c] = [await openNode(nats.url, "b"), await openNode(nats.url, "c")];
    for (const { subject, data } of old) tenant.say(subject, data);
    await until("all were refused", () => refusedInAll() === old.length);
    assert.deepEqual([refusedBy("clock", "otherLife"), heardTexts().slice(1)], [old.length, [[], []]]);
  });

  it("cannot make one up, and a flood of them is counted and keeps nobody from being heard", async () => {
    const [a, b] = nodes();
    const pattern = tenant.messages().find(({ subject }) => subject === "zaguan.n.b")?.data as Buffer;
    const count = 20_000;
    const before = refusedInAll();
    for (let index = 0; index < count; index++) {
      const made = Buffer.from(pattern.subarray(0, 100));
      // The life of a sender that nobody knows, so that each would need a key of its own.
      randomBytes(16).copy(made, 5);
      tenant.say("zaguan.n.b", index % 2 === 0 ? made : randomBytes(50));
      if (index % 1_000 !== 0) continue;
      a.bus.send({ node: "b" }, `in the flood ${index}`);
      await tenant.nats.flush();
    }
    await until("all were counted", () => refusedInAll() - before === count);
    // NATS keeps no order between two connections.
    const heard = () => b.heard.filter(({ message }) => message.startsWith("in the flood")).length;
    await until("ours were heard", () => heard() >= count / 1_000);
    assert.equal(heard(), count / 1_000);
    const { malformed, flooded, forged } = b.bus.counts().refused;
    assert.ok(malformed >= count / 2, `${malformed}`);
    assert.equal(flooded + forged, count - malformed);
  });

  it("can say that nobody listened where somebody did: it is a hint and no proof", async () => {
    const [a, b] = nodes();
    const number = a.bus.send({ node: "b" }, "hello");
    await until("it was heard", () => b.heard.at(-1)?.message === "hello");
    await until("the tenant has it", () => tenant.messages().some(({ reply }) => reply?.endsWith(`.b.${number}`)));
    const reply = tenant.messages().find((message) => message.reply?.endsWith(`.b.${number}`))?.reply ?? "";
    tenant.nats.publish(reply, new Uint8Array(), { headers: headers(503, "No Responders") });
    await until("it is believed", () => a.unheard.some((unheard) => unheard.number === number));
  });

  it("can keep NATS from telling that nobody listens, by listening", async () => {
    const [a, b] = nodes();
    a.bus.send({ node: "nobody" }, "hello");
    a.bus.send({ node: "b" }, "end");
    await until("the later one was heard", () => b.heard.at(-1)?.message === "end");
    assert.deepEqual(a.unheard, []);
  });
});
