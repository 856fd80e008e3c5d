import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { makeError } from "../../../test/support/make-error.ts";
import { type Heard, hearing, never, pass } from "../../../test/support/source-side.ts";
import { type Fields, Stub2026, type StubMessage } from "../../../test/support/stub-2026.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { faceOfDiscovery } from "../../protocol/mcp/face.ts";
import { Conversation } from "./conversation.ts";
import { ModernClient } from "./modern-client.ts";

const LISTEN = "subscriptions/listen";
const A = "test://a";
const B = "test://b";

let stub: Stub2026;
let clock: FakeClock;
let heard: Heard;
let client: ModernClient;
/** Taken instead of a message, as long as it answers true. */
let instead: (message: StubMessage) => boolean;
let conversation: Conversation;

beforeEach(() => {
  stub = new Stub2026();
  clock = new FakeClock();
  heard = hearing("s", clock);
  instead = () => false;
});

describe("a server of the newer era is listened to", () => {
  it("from the beginning, for everything that it declares", async () => {
    stub.capabilities = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: {} };
    await begin();
    assert.deepEqual(filters(), [{ toolsListChanged: true, promptsListChanged: true }]);
    stub.changeTools();
    await turn();
    assert.equal(heard.toolsChanged, 1);
  });

  it("not at all where nothing can change", async () => {
    stub.capabilities = { tools: {} };
    await begin();
    assert.deepEqual(filters(), []);
    assert.equal(clock.pending, 0);
  });

  it("and what it says is passed on without the id, which is between us and it", async () => {
    await begin();
    await subscribe(A);
    stub.update(A);
    stub.changeTools();
    await turn();
    assert.deepEqual(heard.notifications, [
      { method: "notifications/resources/updated", params: `{"uri":"${A}"}` },
      { method: "notifications/tools/list_changed", params: "{}" },
    ]);
  });

  it("with one more look at its tools, if these were listed before it could tell of changes", async () => {
    instead = ({ method }) => method === LISTEN && refusals === 0;
    await begin();
    await client.listTools(never);
    await advance(10_000);
    await advance(1_000);
    assert.equal(filters().length, 1);
    assert.equal(heard.toolsChanged, 1);
  });
});

describe("a subscription to a resource", () => {
  it("opens a new stream, and ends the old one when that one stands", async () => {
    await begin();
    await subscribe(A);
    await subscribe(B);
    await settle();
    assert.deepEqual(
      filters().map(({ resourceSubscriptions }) => resourceSubscriptions),
      [undefined, [A], [A, B]],
    );
    assert.deepEqual([...stub.listeners.keys()], [stub.asked(LISTEN).at(-1)?.id]);
    const order = stub.seen.map(({ method, params }) => `${method} ${params.requestId ?? ""}`.trim());
    assert.deepEqual(order, [LISTEN, LISTEN, "notifications/cancelled 1", LISTEN, "notifications/cancelled 2"]);
  });

  it("of many at once needs few streams", async () => {
    await begin();
    await Promise.all([subscribe(A), subscribe(B), subscribe(A)]);
    assert.equal(filters().length, 2);
  });

  it("that exists already is one, without a word", async () => {
    await begin();
    await subscribe(A);
    await subscribe(A);
    assert.equal(filters().length, 2);
  });

  it("ends with the last who wants it", async () => {
    await begin();
    await subscribe(A);
    await client.request(pass("resources/unsubscribe", `{"uri":"${A}"}`));
    assert.deepEqual(filters().at(-1), { toolsListChanged: true });
    stub.update(A);
    await turn();
    assert.deepEqual(heard.notifications, []);
  });

  it("leaves no stream where there is nothing else to hear", async () => {
    stub.capabilities = { resources: { subscribe: true } };
    await begin();
    await subscribe(A);
    await client.request(pass("resources/unsubscribe", `{"uri":"${A}"}`));
    await settle();
    assert.equal(stub.listeners.size, 0);
  });

  it("comes and goes without another look at everything, since no change falls between", async () => {
    await begin();
    await client.listTools(never);
    await subscribe(A);
    await client.request(pass("resources/unsubscribe", `{"uri":"${A}"}`));
    await subscribe(B);
    assert.equal(filters().length, 4);
    assert.equal(heard.toolsChanged, 0);
  });

  it("with a look at what may have been missed, if the old stream ended before the new one stood", async () => {
    await begin();
    instead = ({ method }) => method === LISTEN && say({ id: 1, result: {} });
    const subscribed = subscribe(A);
    await settle();
    acknowledge(2, { resourceSubscriptions: [A] });
    await subscribed;
    assert.equal(heard.toolsChanged, 1);
  });

  it("stays for the others when one who waited for it leaves", async () => {
    await begin();
    const leaving = new AbortController();
    const left = refusal(client.request(pass("resources/subscribe", `{"uri":"${A}"}`, { signal: leaving.signal })));
    const stays = subscribe(A);
    leaving.abort(new ZaguanError("CANCELLED"));
    await left;
    await stays;
    await subscribe(B);
    assert.deepEqual(filters().at(-1)?.resourceSubscriptions, [A, B]);
  });

  it("stays for those who have it when one leaves who waited for it while the stream was lost", async () => {
    await begin();
    await subscribe(A);
    say({ id: 2, result: {} });
    await settle();
    const leaving = new AbortController();
    const left = refusal(client.request(pass("resources/subscribe", `{"uri":"${A}"}`, { signal: leaving.signal })));
    leaving.abort(new ZaguanError("CANCELLED"));
    await left;
    await subscribe(B);
    assert.deepEqual(filters().at(-1)?.resourceSubscriptions, [A, B]);
  });

  it("that nobody waits for any longer is wanted by nobody", async () => {
    await begin();
    const leaving = new AbortController();
    const { signal } = leaving;
    const left = [1, 2].map(() => refusal(client.request(pass("resources/subscribe", `{"uri":"${A}"}`, { signal }))));
    leaving.abort(new ZaguanError("CANCELLED"));
    await Promise.all(left);
    await subscribe(B);
    assert.deepEqual(filters().at(-1)?.resourceSubscriptions, [B]);
  });

  it("that the server does not grant is refused, and the others stay", async () => {
    await begin();
    await subscribe(A);
    assert.equal((await refusal(subscribe("test://none"))).details.relayed?.code, -32602);
    stub.update(A);
    await turn();
    assert.equal(heard.notifications.length, 1);
    await subscribe(B);
    assert.deepEqual(filters().at(-1)?.resourceSubscriptions, [A, B]);
  });

  it("is an unknown method where the server declares none", async () => {
    stub.capabilities = { resources: {} };
    await begin();
    assert.equal((await refusal(subscribe(A))).details.relayed?.code, -32601);
    assert.deepEqual(filters(), []);
  });

  it("of nothing is refused", async () => {
    await begin();
    assert.equal((await refusal(client.request(pass("resources/subscribe")))).details.relayed?.code, -32602);
  });

  it("fails with what the server says to it", async () => {
    stub.capabilities = { resources: { subscribe: true } };
    await begin();
    instead = ({ method, id }) => method === LISTEN && say({ id, error: { code: -32603, message: "limit reached" } });
    assert.equal((await refusal(subscribe(A))).details.relayed?.message, "limit reached");
  });

  it("that is never acknowledged is not waited for longer than ten seconds, nor than the one who waits", async () => {
    await begin();
    instead = ({ method }) => method === LISTEN;
    const leaving = new AbortController();
    const left = refusal(client.request(pass("resources/subscribe", `{"uri":"${B}"}`, { signal: leaving.signal })));
    leaving.abort(makeError("DEADLINE_EXCEEDED"));
    assert.equal((await left).code, "DEADLINE_EXCEEDED");
    const waiting = refusal(subscribe(A));
    await advance(10_000);
    await advance(10_000);
    assert.match(String((await waiting).details.params?.["reason"]), /did not acknowledge/);
  });
});

describe("a subscription that is under way when the source dies", () => {
  it("shares the fate of what was sent to it, and is not its client's doing", async () => {
    await begin();
    instead = ({ method }) => method === LISTEN;
    const waiting = refusal(subscribe(A));
    await settle();
    die();
    const { code, delivery } = await waiting;
    assert.deepEqual([code, delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    assert.equal(clock.pending, 0);
  });

  it("and waited for its turn, was not sent", async () => {
    await begin();
    instead = ({ method }) => method === LISTEN;
    const [first, second] = [refusal(subscribe(A)), settle().then(() => refusal(subscribe(B)))];
    await settle();
    await settle();
    die();
    assert.equal((await first).code, "OUTCOME_UNKNOWN");
    const { code, delivery } = await second;
    assert.deepEqual([code, delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
  });

  it("is a fault of the source if that takes it back instead of granting it", async () => {
    await begin();
    instead = ({ method, id }) =>
      method === LISTEN && say({ method: "notifications/cancelled", params: { requestId: id } });
    const { code, details } = await refusal(subscribe(A));
    assert.deepEqual([code, details.params?.["reason"]], ["SOURCE_ERROR", "it ended the subscription at once"]);
  });

  /** As the pipe tells it. */
  function die(): void {
    client.end();
    conversation.peer.end("it crashed");
  }
});

describe("a stream that ends by itself", () => {
  for (const [how, end] of Object.entries({
    "with a result": (id: number): boolean => say({ id, result: { resultType: "complete" } }),
    "with a word": (id: number): boolean => say({ method: "notifications/cancelled", params: { requestId: id } }),
    "with an error": (id: number): boolean => say({ id, error: { code: -32603, message: "restarting" } }),
  })) {
    it(`(${how}) is opened again, with a look at what may have been missed`, async () => {
      await begin();
      await subscribe(A);
      end(stub.asked(LISTEN).at(-1)?.id ?? 0);
      await settle();
      await advance(999);
      assert.equal(filters().length, 2);
      await advance(1);
      assert.equal(filters().length, 3);
      assert.deepEqual(filters().at(-1)?.resourceSubscriptions, [A]);
      assert.equal(heard.toolsChanged, 1, "not for the stream that took over from another");
    });
  }

  it("again and again is opened ever more slowly", async () => {
    await begin();
    instead = ({ method, id }) => method === LISTEN && say({ id, error: { code: -32603, message: "not now" } });
    say({ id: 1, result: {} });
    const times: number[] = [];
    for (let seconds = 0; seconds < 300; seconds++) {
      const before = stub.seen.length;
      const refused = refusals;
      await advance(1_000);
      if (refusals > refused || stub.seen.length > before) times.push(seconds);
    }
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    assert.deepEqual(gaps, [2, 4, 8, 16, 32, 60, 60, 60]);
  });

  for (const [lasted, gap] of [
    [30_000, 1_000],
    [29_999, 4_000],
  ] as const) {
    it(`after ${lasted / 1_000} seconds is opened again after ${gap / 1_000}, two short ones before it`, async () => {
      await begin();
      for (const wait of [1_000, 2_000]) {
        say({ id: stub.asked(LISTEN).at(-1)?.id, result: {} });
        await settle();
        await advance(wait);
      }
      assert.equal(filters().length, 3);
      await advance(lasted);
      say({ id: stub.asked(LISTEN).at(-1)?.id, result: {} });
      await settle();
      await advance(gap - 1);
      assert.equal(filters().length, 3);
      await advance(1);
      assert.equal(filters().length, 4);
    });
  }

  it("because the server knows no such thing is not opened again", async () => {
    instead = ({ method, id }) =>
      method === LISTEN && say({ id, error: { code: -32601, message: "Method not found" } });
    await begin();
    assert.equal(clock.pending, 0);
    assert.deepEqual(heard.log, ["the server offers no subscriptions"]);
  });

  it("because the server grants nothing is not opened again", async () => {
    instead = ({ method, id }) => method === LISTEN && acknowledge(id) && say({ id, result: {} });
    await begin();
    assert.equal(clock.pending, 0);
  });

  it("is not opened again after the end of all", async () => {
    await begin();
    client.end();
    await settle();
    assert.deepEqual([clock.pending, stub.listeners.size], [0, 0]);
  });
});

let refusals = 0;

async function begin(): Promise<void> {
  refusals = 0;
  // What an earlier test left on its way stays with its own stub.
  const own = stub;
  const mine = new Conversation(heard.context, async (text) => {
    const message = JSON.parse(text) as StubMessage;
    await turn();
    if (own === stub && instead(message)) refusals++;
    else own.take(message, (said) => mine.peer.receive(JSON.stringify(said)));
  });
  conversation = mine;
  const { capabilities, supportedVersions } = stub;
  const face = faceOfDiscovery(Payload.ofValue({ capabilities, supportedVersions }));
  client = new ModernClient(conversation, face, { overHttp: false, onUnfit: () => assert.fail("it is unfit") });
  await client.begin();
  await settle();
}

/** Lets everything that is on its way arrive. */
async function settle(): Promise<void> {
  for (let i = 0; i < 6; i++) await turn();
}

async function advance(ms: number): Promise<void> {
  await clock.advance(ms);
  await settle();
}

function say(message: Fields): true {
  conversation.peer.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return true;
}

function acknowledge(id: number | undefined, notifications: Fields = {}): true {
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  return say({ method: "notifications/subscriptions/acknowledged", params: { notifications, _meta } });
}

function subscribe(uri: string): Promise<Payload> {
  return client.request(pass("resources/subscribe", JSON.stringify({ uri })));
}

function filters() {
  return stub.asked(LISTEN).map(({ params }) => params.notifications);
}

async function refusal(promise: Promise<unknown>): Promise<ZaguanError> {
  const error = await promise.then(
    () => assert.fail("it was not refused"),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof ZaguanError, String(error));
  return error;
}
