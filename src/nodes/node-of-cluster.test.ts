/**
 * Hubs as nodes of one cluster, in this process: what a client of one node notices of a source that another holds. The same
 * with real processes, PostgreSQL and NATS is in test/cluster/forwarding.test.ts.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type HubNode, HubNodes, LAMP } from "../../test/support/hub-nodes.ts";
import { BOB, makeCaller, makeTool, watch } from "../../test/support/make-call.ts";
import { callOf, failureOf, passOf, untilAborted } from "../../test/support/open-hub.ts";
import { until } from "../../test/support/processes.ts";
import type { Caller } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import { type CancelSignal, LightAbort } from "../light-abort.ts";
import { Payload } from "../protocol/json/payload.ts";
import { faceOfInitialize } from "../protocol/mcp/face.ts";
import type { Source, SourceRequest, SourceStatus } from "../sources/source.ts";

const EXACT = '{"z":12345678901234567890,"a":1.0,"é":"\\u00e9 漢 😀"}';
const LOG = "notifications/message";

/** The source as this node's hub has it. */
function lampOf({ hub }: HubNode): Source {
  return hub.sources().find(({ name }) => name === LAMP) ?? assert.fail("it has none");
}

/** How a tool behaves that is let go by the test. */
function gated(): { readonly run: () => Promise<Payload>; open(): void } {
  const gate = Promise.withResolvers<Payload>();
  return { run: () => gate.promise, open: () => gate.resolve(Payload.ofText("{}")) };
}

describe("two nodes", () => {
  const cluster = new HubNodes("echo", "fail", "work", "slow", "first", "second", "third");
  const left: Caller[] = [];
  const told: [method: string, text: string, identity: string | undefined][] = [];
  let restarts = 0;
  let status: SourceStatus = { state: "idle", restarts: 0, log: [] };
  let owner: HubNode;
  let other: HubNode;
  before(async () => {
    cluster.overrides = {
      left: (caller) => left.push(caller),
      notify: (method, params, caller) => told.push([method, params.text, caller?.identity]),
      restart: async () => void restarts++,
      status: () => status,
      face: async () => faceOfInitialize(Payload.ofText(`{"serverInfo":{"name":"lamp"},"x":${EXACT}}`)),
    };
    await cluster.start("uno", "dos");
    owner = cluster.owner;
    other = cluster.others[0];
  });
  afterEach(() => {
    cluster.ran.length = 0;
    for (const name of Object.keys(cluster.behaviours)) delete cluster.behaviours[name];
  });
  after(() => cluster.close());

  it("have a source at one of them, and a call of each reaches it once, as it was written", async () => {
    cluster.behaviours["echo"] = async ({ args }) => Payload.ofText(`{"content": [],  "echo":${args.text}}`);
    for (const { hub } of [owner, other]) {
      const result = await hub.call(callOf("echo", { args: Payload.ofText(EXACT) }));
      assert.equal(result.text, `{"content": [],  "echo":${EXACT}}`);
    }
    assert.deepEqual(
      cluster.ran.map(({ node }) => node),
      [owner.name, owner.name],
    );
  });

  it("know who has it", () => {
    const { node, state } = lampOf(other).status();
    assert.deepEqual([node, state], [owner.name, "ready"]);
    assert.deepEqual([owner.node.holderOf(LAMP), other.node.holderOf("by url")], [owner.name, undefined]);
    assert.deepEqual([owner.node.ownerOf(LAMP), other.node.ownerOf(LAMP)], [owner.name, owner.name]);
    assert.deepEqual(
      other.node.others().map(({ node }) => node),
      [owner.name],
    );
  });

  it("know how it is, as the node that holds it tells", async () => {
    const told = () => lampOf(other).reportedStatus?.();
    await until("it is told at the start", () => told()?.state === "idle");
    status = {
      state: "waiting",
      restarts: 3,
      lastError: "no signal",
      log: Array.from({ length: 50 }, (_, line) => `${line}`),
    };
    owner.node.sources.statusChanged(LAMP);
    await until("a change is told", () => told()?.state === "waiting");
    const { restarts: often, lastError, log } = told() ?? { log: [] };
    assert.deepEqual([often, lastError, log.length, log.at(-1)], [3, "no signal", 20, "49"]);
    assert.equal(lampOf(other).status().state, "ready", "calls are sent to its owner all the same");
    other.node.sources.statusChanged(LAMP);
    status = { state: "ready", restarts: 3, log: [] };
    owner.node.sources.statusChanged(LAMP);
    await until("it is well again", () => told()?.state === "ready");
  });

  it("carry who calls, with what, and in which language", async () => {
    const meta = Payload.ofText(EXACT);
    await other.hub.call(callOf("echo", { principal: BOB, language: "fr", priority: "HIGH", meta }));
    const request = cluster.ran[0]?.request;
    assert.deepEqual(request?.principal, BOB);
    assert.deepEqual([request?.language, request?.priority, request?.meta?.text], ["fr", "HIGH", EXACT]);
  });

  it("carry other requests than calls of tools", async () => {
    cluster.behaviours["resources/read"] = async ({ params }) => params as Payload;
    const result = await other.hub.pass(passOf(LAMP, "resources/read", EXACT));
    assert.equal(result.text, EXACT);
  });

  it("carry a large answer", async () => {
    const text = JSON.stringify({ text: "ñ😀".repeat(500_000) });
    cluster.behaviours["echo"] = async () => Payload.ofText(text);
    assert.ok((await other.hub.call(callOf("echo"))).text === text);
  });

  it("carry the source's own errors, with what is known of the call", async () => {
    const relayed = { code: -32_042, message: "ñ", data: { a: 1 } };
    cluster.behaviours["fail"] = () =>
      Promise.reject(new ZaguanError("SOURCE_ERROR", { relayed, delivery: "executed" }));
    const error = await failureOf(other.hub.call(callOf("fail")));
    assert.deepEqual([error.code, error.details.relayed, error.delivery], ["SOURCE_ERROR", relayed, "executed"]);
    assert.equal(cluster.timesRan("fail"), 1);
  });

  it("tell what nobody expected by a reference, which the owner's log repeats with the cause", async () => {
    const cause = new TypeError("boom");
    cluster.behaviours["fail"] = () => Promise.reject(cause);
    const error = await failureOf(other.hub.call(callOf("fail")));
    assert.equal(error.code, "INTERNAL");
    const logged = owner.events.find((event) => event.type === "internal-error");
    assert.ok(logged, "the owner's log has it");
    assert.deepEqual([logged.cause, error.details.params?.["reference"]], [cause, logged.reference]);
  });

  it("carry progress and what the source says of a call, in their order", async () => {
    cluster.behaviours["work"] = async ({ onProgress, onNotification }) => {
      onProgress?.(Payload.ofText('{"progress":1.0}'));
      onNotification?.(LOG, Payload.ofText(EXACT));
      onProgress?.(Payload.ofText('{"progress":2.0}'));
      return Payload.ofText("{}");
    };
    const heard: string[] = [];
    await other.hub.call(
      callOf("work", {
        onProgress: ({ text }) => heard.push(text),
        onNotification: (method, { text }) => heard.push(method, text),
      }),
    );
    assert.deepEqual(heard, ['{"progress":1.0}', LOG, EXACT, '{"progress":2.0}']);
    assert.ok(cluster.ran[0]?.request.onProgress);
    await other.hub.call(callOf("work"));
    assert.equal(cluster.ran[1]?.request.onProgress, undefined, "who wants no progress is asked for none");
  });

  it("carry a question to the client and its answer", async () => {
    cluster.behaviours["work"] = askBack;
    const asked: [string, string][] = [];
    const caller = makeCaller({
      request: async (method, params) => {
        asked.push([method, params.text]);
        return Payload.ofText(`{"answer":${EXACT}}`);
      },
    });
    const result = await other.hub.call(callOf("work", { caller }));
    assert.deepEqual(asked, [["elicitation/create", EXACT]]);
    assert.equal(result.text, `{"answer":${EXACT}}`);
  });

  it("carry a client's refusal to answer", async () => {
    const failures: ZaguanError[] = [];
    cluster.behaviours["work"] = async (request) => {
      failures.push(await failureOf(askBack(request)));
      return Payload.ofText("{}");
    };
    const relayed = { code: -1, message: "no" };
    const refusal = new ZaguanError("SOURCE_ERROR", { relayed, delivery: "executed" });
    await other.hub.call(callOf("work", { caller: makeCaller({ request: () => Promise.reject(refusal) }) }));
    assert.deepEqual(failures[0]?.details.relayed, relayed);
  });

  it("let no source wait for the answer of a client that has taken its call back", async () => {
    cluster.behaviours["work"] = askBack;
    const stop = new LightAbort();
    const asked = Promise.withResolvers<void>();
    const caller = makeCaller({
      request: (_method, _params, signal) => {
        asked.resolve();
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const call = failureOf(other.hub.call(callOf("work", { caller, signal: stop })));
    await asked.promise;
    stop.abort();
    assert.equal((await call).code, "CANCELLED");
    await until("the source is free", () => owner.hub.queue().processing === 0, 20_000);
  });

  it("withdraw a question that its source has taken back, or left open at the end of its call", async () => {
    const over = new LightAbort();
    const failures: ZaguanError[] = [];
    cluster.behaviours["work"] = async (request) => {
      const regretted = failureOf(askBack({ ...request, signal: over }));
      void askBack(request).catch((cause) => failures.push(cause));
      await until("its client is asked", () => signals.length === 2);
      over.abort();
      failures.push(await regretted);
      await until("it is withdrawn", () => signals[0]?.aborted === true);
      assert.equal(signals[1]?.aborted, false);
      return Payload.ofText("{}");
    };
    const signals: CancelSignal[] = [];
    const caller = makeCaller({
      request: (_method, _params, signal) => {
        signals.push(signal);
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    await other.hub.call(callOf("work", { caller }));
    assert.equal(signals[1]?.aborted, true);
    await until("nobody waits for an answer", () => failures.length === 2);
    assert.deepEqual(
      failures.map(({ code }) => code),
      ["CANCELLED", "CANCELLED"],
    );
  });

  it("stop the clock of a call while its client is asked", async () => {
    cluster.behaviours["work"] = async (request) => {
      const { text } = await askBack(request);
      return Payload.ofText(text);
    };
    const caller = makeCaller({ request: () => sleep(3_000, Payload.ofText("7")) });
    const result = await other.hub.call(callOf("work", { caller, usualMs: 2_500 }));
    assert.equal(result.text, "7");
  });

  it("end a call at its owner when its client takes it back", async () => {
    const reasons: unknown[] = [];
    cluster.behaviours["slow"] = (request) => {
      request.signal.addEventListener("abort", () => reasons.push(request.signal.reason));
      return untilAborted(request);
    };
    const stop = new LightAbort();
    const call = failureOf(other.hub.call(callOf("slow", { signal: stop })));
    await until("it runs", () => cluster.timesRan("slow") === 1);
    stop.abort();
    const error = await call;
    assert.deepEqual([error.code, error.delivery], ["CANCELLED", "unknown"]);
    await until("its source is told", () => reasons.length === 1);
    assert.equal((reasons[0] as ZaguanError).code, "CANCELLED");
    assert.equal(owner.hub.inFlight, 0);
  });

  it("end a call when its time is over", async () => {
    cluster.behaviours["slow"] = untilAborted;
    const error = await failureOf(other.hub.call(callOf("slow", { timeoutMs: 1_000 })));
    assert.deepEqual([error.code, error.delivery], ["DEADLINE_EXCEEDED", "unknown"]);
    await until("it ended at its owner", () => owner.hub.inFlight === 0);
  });

  it("say of a call whose time was over in the queue that it was never sent", async () => {
    const gate = gated();
    cluster.behaviours["slow"] = gate.run;
    const running = owner.hub.call(callOf("slow"));
    const error = await failureOf(other.hub.call(callOf("echo", { timeoutMs: 200 })));
    assert.equal(error.delivery, "not_sent");
    gate.open();
    await running;
    await until("its place in the queue is free", () => owner.hub.inFlight === 0);
    assert.equal(cluster.timesRan("echo"), 0);
  });

  it("let calls of all nodes wait in one queue, by their priorities", async () => {
    const gate = gated();
    cluster.behaviours["slow"] = gate.run;
    cluster.most = 0;
    const calls = [owner.hub.call(callOf("slow"))];
    await until("it is busy", () => cluster.ran.length === 1);
    for (const [tool, { hub }, priority] of [
      ["third", owner, "BULK"],
      ["second", other, "MEDIUM"],
      ["first", other, "HIGH"],
    ] as const) {
      const waiting = owner.hub.queue().pending;
      calls.push(hub.call(callOf(tool, { priority })));
      await until(`${tool} waits`, () => owner.hub.queue().pending === waiting + 1);
    }
    assert.equal(other.hub.queue().pending, 0, "nothing waits where the source is not");
    gate.open();
    await Promise.all(calls);
    assert.deepEqual(
      cluster.ran.map(({ request }) => request.name),
      ["slow", "first", "second", "third"],
    );
    assert.equal(cluster.most, 1);
  });

  it("never work on two calls at a time where the source takes one", async () => {
    cluster.behaviours["slow"] = () => sleep(2, Payload.ofText("{}"));
    cluster.most = 0;
    const calls = [owner, other].flatMap(({ hub }) => Array.from({ length: 5 }, () => hub.call(callOf("slow"))));
    await Promise.all(calls);
    assert.deepEqual([cluster.most, cluster.timesRan("slow")], [1, 10]);
  });

  it("tell all of a change that was published at one of them", async () => {
    const heard: string[] = [];
    const stops = [owner, other].map(({ name, node }) =>
      node.changes.watch((change) => heard.push(`${name} ${change}`)),
    );
    const remote: string[] = [];
    other.node.onRemoteChange((change) => remote.push(change));
    owner.node.changes.publish("keys");
    assert.deepEqual(heard, [`${owner.name} keys`], "here at once");
    await until("the other hears it", () => heard.length === 2);
    assert.deepEqual([heard[1], remote], [`${other.name} keys`, ["keys"]]);
    for (const stop of stops) stop();
    other.node.changes.publish("links");
    await sleep(50);
    assert.deepEqual([heard.length, remote], [2, ["keys"]], "its own change is not remote to it");
  });

  it("list the tools anew when the owner says that they changed, or that the source came up", async () => {
    const names = async () => (await other.hub.listTools(BOB, "en")).map(({ definition }) => definition.name);
    const before = cluster.tools;
    for (const [news, tool] of [
      [{ what: "up", isAgain: false }, "new"],
      [{ what: "tools" }, "newer"],
    ] as const) {
      cluster.tools = [...cluster.tools, makeTool(tool)];
      owner.node.sources.announce(LAMP, news);
      await until("it is listed", () => other.hub.findTool(BOB, tool) !== undefined);
      assert.ok((await names()).includes(tool));
    }
    cluster.tools = before;
    owner.node.sources.announce(LAMP, { what: "tools" });
    await until("they are gone", () => other.hub.findTool(BOB, "newer") === undefined);
  });

  it("hear what the source says to all, and believe no other node than its owner", async () => {
    const heard: string[] = [];
    const stop = other.hub.onNotification((source, method, { text }) => heard.push(`${source} ${method} ${text}`));
    const uri = { uri: "lamp://1" };
    cluster.says("notifications/resources/updated", uri);
    await until("it is heard", () => heard.length === 1);
    assert.deepEqual(heard, [`${LAMP} notifications/resources/updated ${JSON.stringify(uri)}`]);
    const atOwner: string[] = [];
    const stopOwner = owner.hub.onNotification((_, method) => atOwner.push(method));
    other.node.sources.announce(LAMP, { what: "said", method: "notifications/resources/updated", params: "{}" });
    await sleep(50);
    assert.deepEqual(atOwner, []);
    stop();
    stopOwner();
  });

  it("tell what the source says without naming a call once, to whoever alone waits for it", async () => {
    const gate = gated();
    cluster.behaviours["slow"] = gate.run;
    const heard: string[] = [];
    const call = other.hub.call(callOf("slow", { onNotification: (method) => heard.push(method) }));
    await until("it runs", () => cluster.timesRan("slow") === 1);
    cluster.says(LOG, { level: "info", data: "for whoever calls" });
    await until("it is heard", () => heard.length > 0);
    await sleep(50);
    assert.deepEqual(heard, [LOG]);
    gate.open();
    await call;
  });

  it("tell nobody what may be meant for another principal's call at another node", async () => {
    const gate = gated();
    cluster.behaviours["slow"] = gate.run;
    const heard: string[] = [];
    const onNotification = (): unknown => heard.push("told");
    const calls = [
      owner.hub.call(callOf("slow", { onNotification })),
      other.hub.call(callOf("slow", { onNotification, principal: BOB })),
    ];
    await until("one runs, one waits", () => owner.hub.inFlight === 2);
    cluster.says(LOG, { level: "info", data: "a secret of one of them" });
    await sleep(50);
    assert.deepEqual(heard, []);
    gate.open();
    await Promise.all(calls);
  });

  it("say what a source says of itself, and ask again when it came up anew", async () => {
    const face = await other.hub.face(LAMP, new LightAbort());
    assert.deepEqual([face?.serverInfo, face?.greeting?.text.includes(EXACT)], [{ name: "lamp" }, true]);
    assert.ok(other.hub.faceNow(LAMP), "it is remembered");
    owner.node.sources.announce(LAMP, { what: "up", isAgain: true });
    await until("it is forgotten", () => other.hub.faceNow(LAMP) === undefined);
  });

  it("tell the owner's source that a client has left, and what it says, by the identity of its requests", async () => {
    const caller = makeCaller();
    const stop = other.hub.join(LAMP, caller, BOB);
    await other.hub.call(callOf("echo", { caller }));
    other.hub.tell(LAMP, "notifications/roots/list_changed", Payload.ofText(EXACT), BOB, caller);
    await until("it is told", () => told.length === 1);
    stop();
    await until("it is told", () => left.length === 1);
    const identity = cluster.ran[0]?.request.caller?.identity;
    assert.ok(identity && identity !== caller.identity);
    assert.deepEqual([left[0]?.identity, left[0]?.canBeAsked], [identity, true]);
    assert.deepEqual(told, [["notifications/roots/list_changed", EXACT, identity]]);
  });

  it("restart the source where it runs", async () => {
    await other.hub.restart(LAMP);
    await until("it is restarted", () => restarts === 1);
  });

  it("have a third one join that learns who has it, though it did not hear it begin", async () => {
    const third = await cluster.join("tres");
    await until("it knows who has it", () => third.node.ownerOf(LAMP) !== undefined);
    assert.equal(third.node.view().sources[0]?.node, cluster.owner.name);
  });
});

describe("a node that leaves", () => {
  const cluster = new HubNodes("tick", "slow", "after");
  let restarts = 0;
  before(async () => {
    cluster.overrides = { restart: async () => void restarts++ };
    await cluster.start("uno", "dos", "tres");
  });
  after(() => cluster.close());

  it("has its source restarted by those who have not found out yet that it has it", async () => {
    await cluster.others[0].hub.restart(LAMP);
    await until("it is restarted", () => restarts === 1, 20_000);
  });

  it("hands over what it holds, and no call fails or runs twice, whoever made it", async () => {
    const leaver = cluster.owner;
    let isOver = false;
    const names = new Set<string>();
    cluster.behaviours["tick"] = async ({ args }) => {
      names.add(args.text);
      return sleep(1, args);
    };
    const callers = cluster.others.map(async ({ name, hub }) => {
      for (let count = 0; !isOver; count++) {
        const args = Payload.ofText(`{"tag":"${name} ${count}"}`);
        assert.equal((await hub.call(callOf("tick", { args }))).text, args.text);
      }
    });
    const gate = gated();
    cluster.behaviours["slow"] = gate.run;
    // One of its own clients is served when it leaves, another waits.
    const own = [leaver.hub.call(callOf("slow")), leaver.hub.call(callOf("after"))].map((call) => watch(call));
    await until("the first runs", () => cluster.timesRan("slow") === 1);
    const gone = watch(leaver.node.leave(20_000));
    await sleep(200);
    assert.equal(gone.state, "pending", "what runs is waited for");
    gate.open();
    await until("it has left", () => gone.state === "done");
    assert.deepEqual(
      own.map(({ state }) => state),
      ["done", "done"],
    );
    const ticks = cluster.timesRan("tick");
    await until("calls go on", () => cluster.timesRan("tick") > ticks + 20);
    isOver = true;
    await Promise.all(callers);
    assert.notEqual(cluster.owner, leaver);
    assert.equal(cluster.timesRan("tick"), names.size, "each ran once");
    assert.deepEqual([cluster.timesRan("slow"), cluster.timesRan("after")], [1, 1]);
    assert.equal(cluster.most, 1, "never at two nodes at a time");
  });
});

describe("a node that falls silent", () => {
  const cluster = new HubNodes("slow", "waits", "after");
  after(() => cluster.close());

  it("leaves what ran there unknown; what had not begun runs at the next owner, once", async () => {
    await cluster.start("uno", "dos", "tres");
    const dead = cluster.owner;
    const [one, two] = cluster.others as [HubNode, HubNode];
    cluster.behaviours["slow"] = untilAborted;
    const members: string[] = [];
    one.node.onMembers(() =>
      members.push(
        one.node
          .others()
          .map(({ node }) => node)
          .join(),
      ),
    );
    const running = failureOf(one.hub.call(callOf("slow")));
    await until("it runs", () => cluster.timesRan("slow") === 1);
    const waiting = two.hub.call(callOf("waits"));
    await until("it waits", () => dead.hub.queue().pending === 1);
    cluster.kill(dead);
    const early = one.hub.call(callOf("after"));
    const error = await running;
    assert.deepEqual([error.code, error.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    assert.deepEqual(members, [two.name]);
    await waiting;
    await early;
    await two.hub.call(callOf("after"));
    assert.deepEqual(
      ["slow", "waits", "after"].map((tool) => cluster.timesRan(tool)),
      [1, 1, 2],
    );
    assert.notEqual(cluster.ran.at(-1)?.node, dead.name);
    await dead.hub.close();
  });

  it("knows of its own calls that they were never sent", async () => {
    const [other] = cluster.others;
    cluster.cutOff(other);
    const error = await failureOf(other.hub.call(callOf("waits", { timeoutMs: 300 })));
    assert.deepEqual([error.code, error.delivery], ["DEADLINE_EXCEEDED", "not_sent"]);
    assert.equal(cluster.timesRan("waits"), 1, "it is the one before");
  });

  it("says of those without a deadline of their own at once that they may be tried again", async () => {
    const [other] = cluster.others;
    const error = await failureOf(other.hub.call(callOf("waits")));
    assert.deepEqual([error.code, error.delivery, error.row.retryable], ["SOURCE_UNAVAILABLE", "not_sent", true]);
    assert.match(String(error.details.params?.["reason"]), /try again$/);
    assert.equal(cluster.timesRan("waits"), 1, "it is the one before");
  });
});

describe("a node whose lease is over", () => {
  const cluster = new HubNodes("slow");
  after(() => cluster.close());

  it("waits for no call that runs: what it held may be another's any moment", async () => {
    const closed = Promise.withResolvers<void>();
    cluster.overrides = { close: async () => closed.resolve() };
    cluster.behaviours["slow"] = async () => {
      await closed.promise;
      throw new ZaguanError("OUTCOME_UNKNOWN", { params: { source: LAMP }, delivery: "unknown" });
    };
    await cluster.start("uno");
    const running = failureOf(cluster.owner.hub.call(callOf("slow")));
    await until("it runs", () => cluster.timesRan("slow") === 1);
    await cluster.owner.node.held.end(LAMP, true);
    assert.equal((await running).delivery, "unknown");
  });
});

describe("nodes that have lost each other", () => {
  const cluster = new HubNodes("old");
  after(() => cluster.close());

  it("are one again when they hear each other, with what a source offers by then", async () => {
    await cluster.start("uno", "dos");
    const { owner, others } = cluster;
    const [other] = others;
    const mend = cluster.cutOff(owner);
    let timesBack = 0;
    owner.node.onReconnected(() => timesBack++);
    assert.equal((await failureOf(other.hub.call(callOf("old")))).code, "SOURCE_UNAVAILABLE");
    cluster.tools = [makeTool("new")];
    owner.hub.refresh(LAMP);
    owner.node.sources.announce(LAMP, { what: "tools" });
    mend();
    assert.equal(timesBack, 1);
    await until("its new tool is known", () => other.hub.findTool(BOB, "new") !== undefined);
    await other.hub.call(callOf("new"));
    assert.equal(cluster.timesRan("new"), 1);
  });

  it("list again what the other holds, of which they may have heard nothing", async () => {
    const { owner, others } = cluster;
    const [other] = others;
    const mend = cluster.cutOff(owner);
    await until("it is taken for dead", () => other.node.others().length === 0);
    cluster.tools = [makeTool("unheard")];
    owner.hub.refresh(LAMP);
    mend();
    await until("its new tool is known", () => other.hub.findTool(BOB, "unheard") !== undefined);
  });
});

function askBack({ caller, signal }: SourceRequest): Promise<Payload> {
  return caller?.request("elicitation/create", Payload.ofText(EXACT), signal) ?? Promise.reject(new Error("nobody"));
}
