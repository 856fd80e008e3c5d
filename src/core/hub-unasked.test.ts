/** What sources ask and say by themselves, who hears it, and who has subscribed to what. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ALICE, BOB, makeCaller, makeTool, watch } from "../../test/support/make-call.ts";
import { makeError } from "../../test/support/make-error.ts";
import { callOf, failureOf, openHub, passOf } from "../../test/support/open-hub.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import { isAtLeast } from "../protocol/mcp/client-capabilities.ts";
import { faceOfInitialize } from "../protocol/mcp/face.ts";
import type { Source } from "../sources/source.ts";
import type { Caller, CallRequest } from "./call.ts";

const SUBSCRIBE = "resources/subscribe";
const UNSUBSCRIBE = "resources/unsubscribe";
const LOG = "notifications/message";

describe("subscriptions", () => {
  it("all go to the source, but the end of one only when nobody is left", async () => {
    const { hub, subscribe, unsubscribe, heard } = subscribing();
    for (let n = 0; n < 3; n++) await subscribe("a:b");
    await subscribe("c:d");
    assert.deepEqual([(await unsubscribe("a:b")).text, (await unsubscribe("a:b")).text], ["{}", "{}"]);
    assert.deepEqual(heard(UNSUBSCRIBE), []);
    assert.deepEqual((await unsubscribe("a:b")).value, { from: "house" });
    assert.deepEqual(heard(SUBSCRIBE), ["a:b", "a:b", "a:b", "c:d"]);
    assert.deepEqual(heard(UNSUBSCRIBE), ["a:b"]);
    assert.equal(hub.inFlight, 0);
  });

  it("that the source refused do not count", async () => {
    const refusal = makeError("SOURCE_ERROR");
    let refuses = true;
    const request = async () => (refuses ? Promise.reject(refusal) : EMPTY_OBJECT);
    const { subscribe, unsubscribe, heard } = subscribing({ request });
    assert.equal((await failureOf(subscribe("a:b"))).code, "SOURCE_ERROR");
    refuses = false;
    await subscribe("a:b");
    await unsubscribe("a:b");
    assert.deepEqual(heard(UNSUBSCRIBE), ["a:b"]);
  });

  it("that are under way count when another ends", async () => {
    const slow = Promise.withResolvers<Payload>();
    let asked = 0;
    const request = async () => (++asked === 2 ? slow.promise : EMPTY_OBJECT);
    const { subscribe, unsubscribe, heard } = subscribing({ concurrency: 9, request });
    await subscribe("a:b");
    const second = subscribe("a:b");
    await turn();
    await unsubscribe("a:b");
    assert.deepEqual(heard(UNSUBSCRIBE), [], "the source would take away what it is just giving");
    slow.resolve(EMPTY_OBJECT);
    await second;
    await unsubscribe("a:b");
    assert.deepEqual(heard(UNSUBSCRIBE), ["a:b"]);
  });

  it("are told again, each once, to a source that came up again", async () => {
    const { hub, subscribe, unsubscribe, heard, requests } = subscribing();
    for (const uri of ["a:b", "a:b", "c:d", "e:f"]) await subscribe(uri);
    await unsubscribe("e:f");
    requests.length = 0;
    hub.cameUp("house", true);
    assert.deepEqual(heard(SUBSCRIBE), ["a:b", "c:d"]);
    await unsubscribe("a:b");
    assert.deepEqual(heard(UNSUBSCRIBE), [], "nobody is counted twice");
  });

  it("are told to a source that takes the place of another", async () => {
    const { hub, attach, subscribe, heard, requests } = subscribing();
    await subscribe("a:b");
    requests.length = 0;
    await hub.replace("house", async () => attach("house", []));
    assert.deepEqual(heard(SUBSCRIBE), ["a:b"]);
  });

  it("are not told to one that came up for the first time, nor to another source", async () => {
    const { hub, attach, subscribe, heard, requests } = subscribing();
    attach("tv", []);
    await subscribe("a:b");
    requests.length = 0;
    hub.cameUp("house");
    hub.cameUp("tv", true);
    await turn();
    assert.deepEqual(heard(SUBSCRIBE), []);
  });

  it("that cannot be renewed are no accident", async () => {
    let isDown = false;
    const request = async () => (isDown ? Promise.reject(makeError("SOURCE_UNAVAILABLE")) : EMPTY_OBJECT);
    const { hub, subscribe } = subscribing({ request });
    await subscribe("a:b");
    isDown = true;
    hub.cameUp("house", true);
    hub.cameUp("nobody", true);
    await turn();
  });

  it("of a client with a connection of its own are its own: others' are not counted down by it, also when it has gone", async () => {
    let own = true;
    const { hub, subscribe, heard } = subscribing({ hasOwn: () => own });
    const caller = makeCaller();
    const request = (method: string) => ({ ...passOf("house", method, '{"uri":"a:b"}'), caller });
    await subscribe("a:b");
    await hub.subscribe(request(SUBSCRIBE), "a:b");
    assert.deepEqual([...(caller.ownUris ?? [])], ["a:b"]);
    own = false;
    assert.equal((await hub.unsubscribe(request(UNSUBSCRIBE), "a:b")).text, "{}");
    assert.deepEqual(heard(UNSUBSCRIBE), []);
    hub.cameUp("house", true);
    assert.deepEqual(heard(SUBSCRIBE), ["a:b", "a:b", "a:b"], "who shares it is still counted");
  });

  function subscribing(source: Partial<Source> = {}) {
    const opened = openHub();
    opened.attach("house", [], {}, source);
    const uriOf = (uri: string): string => JSON.stringify({ uri });
    return {
      ...opened,
      subscribe: (uri: string) => opened.hub.subscribe(passOf("house", SUBSCRIBE, uriOf(uri)), uri),
      unsubscribe: (uri: string) => opened.hub.unsubscribe(passOf("house", UNSUBSCRIBE, uriOf(uri)), uri),
      /** Which resources the source was told of. */
      heard: (method: string) =>
        opened.requests
          .filter((each) => each.method === method)
          .map(({ params }) => (params?.value as { uri: string } | undefined)?.uri),
    };
  }
});

it("a source is told when a client leaves that may not use all of it, since it may have a connection for that client", () => {
  const { hub, attach } = openHub();
  const gone: unknown[] = [];
  attach("house", [], {}, { left: (caller) => gone.push(caller) });
  const client = makeCaller();
  for (const where of ["house", "*"]) hub.join(where, client, { ...ALICE, allow: ["lamp"] })();
  assert.deepEqual(gone, [client, client]);
});

describe("what a client says and nobody answers", () => {
  it("is passed on to its source, if there is one", () => {
    const { hub, attach } = openHub();
    const told: string[] = [];
    const notify = (method: string, params: Payload): void => void told.push(`${method} ${params.text}`);
    attach("house", [], {}, { notify });
    attach("tv", [], {}, { notify: () => assert.fail("another's") });
    hub.tell("house", "notifications/roots/list_changed", Payload.ofText('{ "n":1.0 }'), ALICE);
    hub.tell("nobody", "notifications/roots/list_changed", EMPTY_OBJECT, ALICE);
    assert.deepEqual(told, ['notifications/roots/list_changed { "n":1.0 }']);
  });
});

describe("log messages", () => {
  const message = (level: string): Payload => Payload.ofText(`{ "level":"${level}" }`);

  it("of a request go to its caller alone, from the level on that it wants", async () => {
    const { begin, requests } = waiting();
    const heard: string[] = [];
    const wants = (least: string): Caller => makeCaller({ wantsLog: (level) => isAtLeast(level, least) });
    for (const least of ["debug", "error"]) {
      begin({ caller: wants(least), onNotification: (method, { text }) => heard.push(`${least} ${method} ${text}`) });
    }
    begin({ onNotification: (_, { text }) => heard.push(`no level ${text}`) });
    await turn();
    for (const { onNotification } of requests) onNotification?.(LOG, message("warning"));
    assert.deepEqual(heard, [`debug ${LOG} { "level":"warning" }`, 'no level { "level":"warning" }']);
    requests[1]?.onNotification?.(LOG, message("alert"));
    requests[1]?.onNotification?.(LOG, Payload.ofText("{}"));
    assert.deepEqual(heard.slice(2), [`error ${LOG} { "level":"alert" }`, `error ${LOG} {}`]);
  });

  it("hold back nothing else that belongs to the request", async () => {
    const { begin, requests } = waiting();
    const heard: string[] = [];
    begin({ caller: makeCaller({ wantsLog: () => false }), onNotification: (method) => heard.push(method) });
    await turn();
    for (const method of [LOG, "notifications/elicitation/complete"])
      requests[0]?.onNotification?.(method, message("alert"));
    assert.deepEqual(heard, ["notifications/elicitation/complete"]);
  });

  it("that name no request go to those who wait, if they are one principal, each as it wants", async () => {
    const { hub, begin } = waiting();
    const heard: string[] = [];
    const listen = (name: string, least: string) => ({
      caller: makeCaller({ wantsLog: (level) => isAtLeast(level, least) }),
      onNotification: () => heard.push(name),
    });
    begin(listen("one", "debug"));
    begin(listen("two", "error"));
    hub.onNotification(() => assert.fail("to everybody"));
    await turn();
    hub.notified("house", LOG, message("info"));
    hub.notified("house", LOG, message("error"));
    assert.deepEqual(heard, ["one", "one", "two"]);
  });

  it("that name no request go to nobody while several principals wait", async () => {
    const { hub, begin } = waiting();
    const onNotification = (): void => assert.fail("told");
    begin({ caller: makeCaller(), onNotification });
    begin({ caller: makeCaller(), onNotification, principal: BOB });
    hub.onNotification(onNotification);
    await turn();
    hub.notified("house", LOG, message("alert"));
  });

  it("that come while nobody waits go to those who listen to the source, until they stop", async () => {
    const { hub, attach } = openHub();
    attach("house", []);
    hub.join("house", makeCaller(), ALICE);
    const heard: string[] = [];
    const stop = hub.onNotification((source, method, params) => heard.push(`${source} ${method} ${params.text}`));
    hub.notified("house", LOG, message("info"));
    const leave = hub.join("house", makeCaller(), BOB);
    hub.notified("house", LOG, message("for one of two principals"));
    leave();
    stop();
    hub.notified("house", LOG, message("info"));
    assert.deepEqual(heard, [`house ${LOG} { "level":"info" }`]);
  });
});

describe("changes of prompts and resources", () => {
  for (const [kind, list] of [
    ["prompts", "prompts/list"],
    ["resources", "resources/list"],
    ["resources", "resources/templates/list"],
  ] as const) {
    it(`(${list}) are asked for when the source tells of them, and told once`, async () => {
      const { hub, clock, says, requests, offered, told, heard } = await offering();
      offered.set(list, ["new", "newer"]);
      requests.length = 0;
      says(`notifications/${kind}/list_changed`);
      says(`notifications/${kind}/list_changed`);
      await clock.advance(1_000);
      assert.ok(requests.some(({ method }) => method === list));
      assert.deepEqual(told, [`notifications/${kind}/list_changed`]);
      assert.equal(hub.offers.list(list === "resources/templates/list" ? "resourceTemplates" : kind, ALICE).length, 2);
      assert.deepEqual(
        heard,
        Array(2).fill(`house notifications/${kind}/list_changed`),
        "for those who listen to it alone",
      );
    });
  }

  it("that are none are not told", async () => {
    const { clock, says, told } = await offering();
    says("notifications/prompts/list_changed");
    await clock.advance(1_000);
    assert.deepEqual(told, []);
  });

  it("are told when the source goes", async () => {
    const { hub, clock, told } = await offering();
    await hub.detach("house");
    await clock.advance(1_000);
    assert.deepEqual(told, ["notifications/prompts/list_changed", "notifications/resources/list_changed"]);
    assert.deepEqual(hub.offers.list("prompts", ALICE), []);
  });

  it("are kept for the next start together with the tools", async () => {
    const { kept } = await offering();
    assert.deepEqual(kept, [["house", ["lamp"]]]);
  });

  it("of a single resource are told as they came", async () => {
    const { says, told, heard } = await offering();
    says("notifications/resources/updated");
    assert.deepEqual([told, heard], [["notifications/resources/updated"], ["house notifications/resources/updated"]]);
  });

  it("are asked by name, at the source, through the same pipeline", async () => {
    const { hub, requests } = await offering();
    requests.length = 0;
    const params = Payload.ofText('{ "name":"house__old" }');
    await hub.offers.ask({ method: "prompts/get", params, principal: ALICE, language: "en", door: "test" });
    assert.deepEqual(
      requests.map(({ method, params }) => [method, params?.text]),
      [["prompts/get", '{ "name":"old" }']],
    );
  });

  /** A source with one prompt, one resource and one template, of which the hub knows. */
  async function offering() {
    const opened = openHub();
    const offered = new Map([
      ["prompts/list", ["old"]],
      ["resources/list", ["old"]],
      ["resources/templates/list", ["old"]],
    ]);
    const request: Source["request"] = async ({ method }) => {
      const all = (offered.get(method) ?? []).map((name) => ({ name, uri: name, uriTemplate: name }));
      return Payload.ofValue({ prompts: all, resources: all, resourceTemplates: all });
    };
    const face = async () => faceOfInitialize(Payload.ofText('{"capabilities":{"prompts":{},"resources":{}}}'));
    opened.attach("house", undefined, {}, { request, face, concurrency: 9, listTools: async () => [makeTool("lamp")] });
    await opened.clock.advance(1_000);
    const told: string[] = [];
    const heard: string[] = [];
    opened.hub.offers.onNotification((method) => told.push(method));
    opened.hub.onNotification((source, method) => heard.push(`${source} ${method}`));
    const says = (method: string): void => opened.hub.notified("house", method, Payload.ofText('{"uri":"old"}'));
    return { ...opened, offered, told, heard, says };
  }
});

/** A source that never answers, and callers that wait for it. */
function waiting() {
  const opened = openHub();
  opened.attach("house", [makeTool("lamp")], {}, { concurrency: 9, request: () => new Promise(() => {}) });
  const begin = (more: Partial<CallRequest>) => watch(opened.hub.call(callOf("lamp", more)));
  return { ...opened, begin };
}
