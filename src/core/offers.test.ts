import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE, BOB } from "../../test/support/make-call.ts";
import type { ZaguanError } from "../errors.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import type { PassRequest, Principal } from "./call.ts";
import type { HubEvent } from "./events.ts";
import { type AskRequest, OFFER_KINDS, Offers, type SourceOffers } from "./offers.ts";

const ONLY_TV: Principal = { ...BOB, allow: ["tv__*"] };

describe("lists of several sources", () => {
  it("keep every definition as its source wrote it, in the order of registration", () => {
    const [prompt, resource, template] = [
      { name: "greet", arguments: [{ name: "who" }], later: { a: 1 } },
      { uri: "a:b", name: "b", size: 3, later: true },
      { uriTemplate: "a:{x}", name: "x", later: null },
    ];
    const { offers } = open({ tv: {}, house: {} });
    offers.set("house", { prompts: [prompt], resources: [resource], resourceTemplates: [template] });
    offers.set("tv", { prompts: [{ name: "zap" }], resources: [{ uri: "tv:1" }] });
    assert.deepEqual(
      OFFER_KINDS.map((kind) => offers.list(kind, ALICE)),
      [[{ name: "zap" }, prompt], [{ uri: "tv:1" }, resource], [template]],
    );
  });

  it("leave a name to the source registered first, and tell of the clash", () => {
    const { offers, events } = open({ house: prompts("greet"), tv: { prompts: [{ name: "greet", later: 1 }] } });
    assert.deepEqual(offers.list("prompts", ALICE), [{ name: "greet" }, { name: "tv__greet", later: 1 }]);
    assert.deepEqual(events, [{ type: "name-clash", tool: "greet", keeper: "house", renamed: "tv__greet" }]);
    offers.remove("house");
    assert.deepEqual(offers.list("prompts", ALICE), [{ name: "greet", later: 1 }]);
  });

  it("show what two sources have once, as the first has it", () => {
    const { offers } = open({
      house: { resources: [{ uri: "a:b", of: "house" }], resourceTemplates: [{ uriTemplate: "a:{x}", of: "house" }] },
      tv: {
        resources: [
          { uri: "c:d", of: "tv" },
          { uri: "a:b", of: "tv" },
        ],
        resourceTemplates: [{ uriTemplate: "a:{x}", of: "tv" }],
      },
    });
    const owners = offers.list("resources", ALICE).map(({ uri, of }) => `${uri} ${of}`);
    assert.deepEqual(owners.toSorted(), ["a:b house", "c:d tv"]);
    assert.deepEqual(offers.list("resourceTemplates", ALICE), [{ uriTemplate: "a:{x}", of: "house" }]);
  });

  it("leave out a prompt without a name", () => {
    const { offers } = open({ house: { prompts: [{ title: "x" }, { name: "" }, { name: 7 }, { name: "greet" }] } });
    assert.deepEqual(offers.list("prompts", ALICE), [{ name: "greet" }]);
  });

  it("show a principal only what it may use", () => {
    const both = { ...prompts("greet"), ...resources("a:b"), resourceTemplates: [{ uriTemplate: "a:{x}" }] };
    const { offers } = open({ house: both, tv: both });
    assert.deepEqual(offers.list("prompts", ONLY_TV), [{ name: "tv__greet" }]);
    for (const kind of OFFER_KINDS) {
      assert.equal(offers.list(kind, ONLY_TV).length, 1);
      assert.deepEqual(offers.list(kind, { ...BOB, allow: ["house__on", "lamp"] }), []);
      assert.deepEqual(offers.list(kind, { ...BOB, allow: ["*", "*list*", "tv__*list*"] }), []);
    }
  });
});

describe("changes", () => {
  it("are reported by list, and only where there are any", () => {
    const { offers } = open({});
    offers.register("house");
    const first = { ...prompts("greet"), ...resources("a:b"), resourceTemplates: [] };
    assert.deepEqual(offers.set("house", first), ["prompts", "resources", "resourceTemplates"]);
    assert.deepEqual(offers.set("house", { ...first, ...prompts("greet") }), []);
    assert.deepEqual(offers.set("house", { ...first, resources: [{ uri: "a:b", title: "new" }] }), ["resources"]);
    assert.deepEqual(offers.remove("house"), ["prompts", "resources", "resourceTemplates"]);
    assert.deepEqual([offers.remove("house"), offers.list("prompts", ALICE)], [[], []]);
  });

  it("are told in the words of MCP, each once, until nobody listens", () => {
    const { offers } = open({});
    const told: string[] = [];
    const stop = offers.onNotification((method, params) => told.push(`${method} ${params.text}`));
    offers.announce(["prompts", "resources", "resourceTemplates"]);
    offers.tell("notifications/resources/updated", Payload.ofText('{ "uri":"a:b" }'));
    offers.announce([]);
    stop();
    offers.announce(["prompts"]);
    assert.deepEqual(told, [
      "notifications/prompts/list_changed {}",
      "notifications/resources/list_changed {}",
      'notifications/resources/updated { "uri":"a:b" }',
    ]);
  });

  it("leave a source its names, though it offers nothing for a while", () => {
    const { offers } = open({ house: prompts("greet"), tv: prompts("greet") });
    assert.deepEqual(offers.list("prompts", ALICE), [{ name: "greet" }, { name: "tv__greet" }]);
    offers.set("house", {});
    assert.deepEqual(offers.list("prompts", ALICE), [{ name: "tv__greet" }]);
    offers.register("house");
    offers.set("house", prompts("greet"));
    assert.deepEqual(offers.list("prompts", ALICE), [{ name: "greet" }, { name: "tv__greet" }]);
  });
});

describe("a source that was removed", () => {
  it("comes last when it comes again", () => {
    const { offers } = open({});
    const resource = (of: string): SourceOffers => ({ resources: [{ uri: "a:b", of }] });
    for (const name of ["house", "tv"]) {
      offers.register(name);
      offers.set(name, resource(name));
    }
    offers.remove("house");
    offers.register("house");
    offers.set("house", resource("house"));
    assert.deepEqual(offers.list("resources", ALICE), [{ uri: "a:b", of: "tv" }]);
  });
});

describe("a prompt", () => {
  const both = { house: prompts("greet"), tv: prompts("greet", "zap") };

  it("is asked of its source, with params as they were written", async () => {
    const { ask } = open(both);
    const params = '{ "name":"zap" ,"arguments":{"n":1.0},"_meta":{"big":12345678901234567890} }';
    assert.deepEqual(await ask("prompts/get", params), ["tv", params]);
    const spelled = '{"name":"z\\u0061p"}';
    assert.deepEqual(await ask("prompts/get", spelled), ["tv", spelled]);
  });

  it("that was renamed is asked by its own name, and nothing else of the params changes", async () => {
    const { ask } = open(both);
    const written = (name: string): string =>
      `{ "arguments" : {"name":"tv__greet","n":1.0}, "name":${name} ,"_meta":{"big":12345678901234567890} }`;
    assert.deepEqual(await ask("prompts/get", written('"tv__greet"')), ["tv", written('"greet"')]);
    assert.deepEqual(await ask("prompts/get", written('"house__greet"')), ["house", written('"greet"')]);
    assert.deepEqual(await ask("prompts/get", written('"tv__\\u0067reet"')), ["tv", written('"greet"')]);
  });

  it("that was renamed is completed by its own name, and nothing else of the params changes", async () => {
    const { ask } = open(both);
    const written = (name: string): string =>
      `{ "argument":{"name":"x","value":"1.0"}, "ref" : { "type":"ref/prompt","n":1.0, "name" :"${name}","big":12345678901234567890 } }`;
    assert.deepEqual(await ask("completion/complete", written("tv__greet")), ["tv", written("greet")]);
    assert.deepEqual(await ask("completion/complete", written("zap")), ["tv", written("zap")]);
  });

  it("that is not there, and one that is not allowed, are told apart by nothing", async () => {
    const { failure, passed } = open(both);
    const tellings = [];
    for (const name of ["greet", "house__greet", "nothing"]) {
      const { code, details } = await failure("prompts/get", JSON.stringify({ name }), ONLY_TV);
      tellings.push([code, details.delivery, details.params?.["reason"] === `there is no prompt "${name}"`]);
      const ref = { type: "ref/prompt", name };
      assert.equal((await failure("completion/complete", JSON.stringify({ ref }), ONLY_TV)).code, code);
    }
    assert.deepEqual(
      tellings,
      [1, 2, 3].map(() => ["INVALID_PARAMS", "not_sent", true]),
    );
    assert.deepEqual(passed, []);
  });

  it("must be named by a string", async () => {
    const { failure } = open(both);
    for (const odd of ["{}", '{"name":7}', '{"name":null}', "[]"]) {
      assert.equal((await failure("prompts/get", odd)).code, "INVALID_PARAMS");
    }
  });
});

describe("a resource", () => {
  const read = (uri: string): [string, string] => ["resources/read", JSON.stringify({ uri })];

  it("is read where it is listed, of several by the first, and with params as they were written", async () => {
    const { ask } = open({ house: resources("a:b"), tv: resources("a:b", "c:d") });
    assert.deepEqual(await ask("resources/read", '{ "uri":"a:b", "n":1.0 }'), ["house", '{ "uri":"a:b", "n":1.0 }']);
    assert.equal((await ask(...read("c:d")))[0], "tv");
  });

  it("that nobody lists is read where a template could make it; a list counts more than a template", async () => {
    const { ask } = open({
      house: { resources: [], resourceTemplates: [{ uriTemplate: 7 }, { uriTemplate: "a://{host}/x/{id}" }] },
      tv: { ...resources("a://listed/x/1"), resourceTemplates: [{ uriTemplate: "tv://{+path}" }] },
    });
    assert.equal((await ask(...read("a://here/x/7")))[0], "house");
    assert.equal((await ask(...read("tv://any/where")))[0], "tv");
    assert.equal((await ask(...read("a://listed/x/1")))[0], "tv");
  });

  it("that nobody knows is asked of the only source that has any", async () => {
    const { ask } = open({ house: prompts("greet"), tv: { resources: [] } });
    assert.equal((await ask(...read("un:known")))[0], "tv");
  });

  it("that could be anybody's is nobody's", async () => {
    const { failure, passed } = open({ house: { resources: [] }, tv: { resources: [] } });
    const { code, details } = await failure(...read("un:known"));
    assert.deepEqual(
      [code, details.relayed?.code, details.relayed?.data],
      ["INVALID_PARAMS", -32002, { uri: "un:known" }],
    );
    assert.deepEqual([details.delivery, passed], ["not_sent", []]);
  });

  it("must be named by a string", async () => {
    const { failure } = open({ house: resources("a:b") });
    for (const odd of ["{}", '{"uri":7}', "[]"]) {
      assert.equal((await failure("resources/read", odd)).details.relayed?.code, -32002);
    }
  });

  it("is looked for only where the principal may look", async () => {
    const templates = { resourceTemplates: [{ uriTemplate: "t:{x}" }] };
    const both = { ...resources("a:b"), ...templates };
    const { ask, failure } = open({ house: { ...both, ...resources("a:b", "house:1") }, tv: both });
    for (const uri of ["a:b", "t:1"]) assert.equal((await ask(...read(uri), ONLY_TV))[0], "tv");
    assert.equal((await ask(...read("house:1"), ONLY_TV))[0], "tv", "the only one that it may ask");
    for (const allow of [[], ["*read*", "*"]]) {
      for (const uri of ["a:b", "t:1", "un:known"]) {
        assert.equal((await failure(...read(uri), { ...BOB, allow })).details.relayed?.code, -32002);
      }
    }
  });

  it("is completed where its template is listed", async () => {
    const { ask, failure } = open({
      house: resources("a:b"),
      tv: { resources: [], resourceTemplates: [{ uriTemplate: "t:{x}" }] },
    });
    const params = '{ "ref":{"type":"ref/resource","uri":"t:{x}"},"argument":{"name":"x","value":"1"} }';
    assert.deepEqual(await ask("completion/complete", params), ["tv", params]);
    assert.equal((await failure("completion/complete", '{"ref":{"type":"ref/other"}}')).code, "INVALID_PARAMS");
    assert.equal((await failure("completion/complete", "{}")).code, "INVALID_PARAMS");
  });

  it("is still there when its source is registered once more", async () => {
    const { offers, ask } = open({ house: resources("a:b") });
    offers.register("house");
    assert.equal((await ask("resources/read", '{"uri":"a:b"}'))[0], "house");
  });

  it("is subscribed to, and unsubscribed from, at its source", async () => {
    const { offers, subscribed } = open({ house: resources("a:b"), tv: resources("c:d") });
    const request = requestOf("resources/subscribe", '{ "uri":"c:d" }', ALICE);
    await offers.subscribe(request);
    await offers.unsubscribe({ ...request, method: "resources/unsubscribe" });
    assert.deepEqual(subscribed, ["+ tv c:d", "- tv c:d"]);
    for (const other of [
      { ...request, params: Payload.ofText('{"uri":"un:known"}') },
      { ...request, principal: { ...BOB, allow: [] } },
    ]) {
      await assert.rejects(offers.subscribe(other), (error: ZaguanError) => error.details.relayed?.code === -32002);
    }
  });
});

describe("a resource that has moved", () => {
  it("is unsubscribed from once where it was subscribed to, and then where it is", async () => {
    const { offers, subscribed } = open({ house: {}, tv: resources("c:d") });
    const request = requestOf("resources/subscribe", '{"uri":"c:d"}', ALICE);
    await offers.subscribe(request);
    offers.set("tv", {});
    offers.set("house", resources("c:d"));
    for (let n = 0; n < 2; n++) await offers.unsubscribe({ ...request, method: "resources/unsubscribe" });
    assert.deepEqual(subscribed, ["+ tv c:d", "- tv c:d", "- house c:d"]);
  });
});

describe("a task", () => {
  it("is asked about where it was begun, and only by whose it is", async () => {
    const { offers, ask, failure } = open({ house: {}, tv: {} });
    offers.begun("house", ALICE, "t1");
    offers.begun("tv", BOB, "t1");
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      assert.deepEqual(await ask(method, '{ "taskId":"t1" }'), ["house", '{ "taskId":"t1" }']);
      assert.equal((await ask(method, '{"taskId":"t1"}', BOB))[0], "tv");
      assert.equal((await failure(method, '{"taskId":"t2"}')).code, "INVALID_PARAMS");
      assert.equal((await failure(method, "{}")).code, "INVALID_PARAMS");
    }
  });

  it("is not shown to others, at the source where it was begun either", () => {
    const { offers } = open({ house: {}, tv: {} });
    offers.begun("house", ALICE, "t1");
    const others = (source: string, principal: Principal) => offers.isOthersTask(source, principal, "t1");
    assert.deepEqual([others("house", BOB), others("house", ALICE), others("tv", BOB)], [true, false, false]);
    const list = Payload.ofText('{"tasks":[{"taskId":"t1"},{"taskId":"t2","n":1.0}],"next":1.0}');
    assert.deepEqual(offers.withoutOthersTasks("house", BOB, list).value, { tasks: [{ taskId: "t2", n: 1 }], next: 1 });
    assert.equal(offers.withoutOthersTasks("house", ALICE, list), list);
  });

  it("that is old is forgotten when there are very many", async () => {
    const { offers, ask, failure } = open({ house: {} });
    for (let n = 0; n <= 10_000; n++) offers.begun("house", ALICE, `t${n}`);
    assert.equal((await failure("tasks/get", '{"taskId":"t0"}')).code, "INVALID_PARAMS");
    assert.equal((await ask("tasks/get", '{"taskId":"t1"}'))[0], "house");
  });
});

function open(sources: Readonly<Record<string, SourceOffers>>) {
  const events: HubEvent[] = [];
  const passed: PassRequest[] = [];
  const subscribed: string[] = [];
  const offers = new Offers({
    isSettled: () => true,
    settled: async () => {},
    join: () => () => {},
    hasOwn: () => false,
    emit: (event) => events.push(event),
    pass: async (request) => {
      passed.push(request);
      return EMPTY_OBJECT;
    },
    subscribe: async ({ source }, uri) => {
      subscribed.push(`+ ${source} ${uri}`);
      return EMPTY_OBJECT;
    },
    unsubscribe: async ({ source }, uri) => {
      subscribed.push(`- ${source} ${uri}`);
      return EMPTY_OBJECT;
    },
  });
  for (const name of Object.keys(sources)) offers.register(name);
  for (const [name, offered] of Object.entries(sources)) offers.set(name, offered);
  /** Where it went, and with which params. */
  const ask = async (method: string, params: string, principal: Principal = ALICE): Promise<[string, string]> => {
    await offers.ask(requestOf(method, params, principal));
    const { source, params: sent } = passed.at(-1) as PassRequest;
    return [source, sent.text];
  };
  const failure = (method: string, params: string, principal: Principal = ALICE): Promise<ZaguanError> =>
    offers.ask(requestOf(method, params, principal)).then(
      () => assert.fail("it did not fail"),
      (error) => error,
    );
  return { offers, events, passed, subscribed, ask, failure };
}

function requestOf(method: string, params: string, principal: Principal): AskRequest {
  return { method, params: Payload.ofText(params), principal, language: "en", door: "test" };
}

function prompts(...names: string[]): SourceOffers {
  return { prompts: names.map((name) => ({ name })) };
}

function resources(...uris: string[]): SourceOffers {
  return { resources: uris.map((uri) => ({ uri })) };
}
