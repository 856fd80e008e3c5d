/**
 * The fixture as revision 2025-11-25 speaks it: a handshake, requests in both directions, log levels and subscriptions.
 */
import { FixtureConnection, isRefusal, refuse } from "./fixture-connection.mjs";
import { LEVELS, NEEDED } from "./fixture-content.mjs";
import {
  changeList,
  complete,
  getPrompt,
  instructions,
  prompts,
  readResource,
  resources,
  resourceTemplates,
  serverInfo,
  shown,
  tools,
  UPDATE_MS,
} from "./fixture-definitions.mjs";

const REVISION = "2025-11-25";

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

export class Fixture2025 extends FixtureConnection {
  #clientCapabilities = {};
  #lowest = LEVELS.indexOf("info");
  #asked = 0;
  #waiting = new Map();
  #watches = new Map();

  #methods = {
    initialize: (params) => this.#initialize(params),
    ping: () => ({}),
    "logging/setLevel": ({ level }) => this.#setLevel(level),
    "tools/list": () => ({ tools: tools.map(shown) }),
    "tools/call": (params, signal) => this.#callTool(params, signal),
    "resources/list": () => ({ resources: resources.map(shown) }),
    "resources/templates/list": () => ({ resourceTemplates }),
    "resources/read": ({ uri }) => ({ contents: readResource(uri) ?? refuse(-32002, "Resource not found", { uri }) }),
    "resources/subscribe": ({ uri }) => this.#subscribe(uri),
    "resources/unsubscribe": ({ uri }) => this.#unsubscribe(uri),
    "prompts/list": () => ({ prompts: prompts.map(shown) }),
    "prompts/get": (params, signal) => getPrompt(params, this.#callOf(params, signal)),
    "completion/complete": ({ argument }) => ({ completion: complete(argument) }),
  };

  run({ method, params }, signal) {
    const run = this.#methods[method] ?? refuse(-32601, `Method not found: ${method}`);
    return run(params, signal);
  }

  close() {
    super.close();
    for (const timer of this.#watches.values()) clearInterval(timer);
  }

  settle({ id, result, error }) {
    const answered = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) answered?.reject(new Error(`The client refused: ${error.message} (${error.code})`));
    else answered?.resolve(result);
  }

  #initialize({ capabilities = {} }) {
    this.#clientCapabilities = capabilities;
    return { protocolVersion: REVISION, capabilities: CAPABILITIES, serverInfo, instructions };
  }

  #setLevel(level) {
    const index = LEVELS.indexOf(level);
    if (index < 0) refuse(-32602, `Unknown log level: ${level}`);
    this.#lowest = index;
    return {};
  }

  async #callTool(params, signal) {
    const { name, arguments: args = {} } = params;
    const tool = tools.find((known) => known.name === name) ?? refuse(-32602, `Unknown tool: ${name}`);
    try {
      return { content: await tool.run(args, this.#callOf(params, signal)) };
    } catch (failure) {
      if (isRefusal(failure)) throw failure;
      return { content: [{ type: "text", text: failure.message }], isError: true };
    }
  }

  #callOf({ _meta: { progressToken } = {} }, signal) {
    return {
      signal,
      log: (level, data) => this.#log(level, data),
      progress: (progress, total) => {
        if (progressToken !== undefined) this.notify("notifications/progress", { progressToken, progress, total });
      },
      ask: (questions) => this.#askAll(questions, signal),
      askWhatItCan: (questions) => this.#askWhatItCan(questions, signal),
      change: (list) => {
        changeList(list);
        this.notify(`notifications/${list}/list_changed`);
      },
    };
  }

  #log(level, data) {
    if (LEVELS.indexOf(level) >= this.#lowest) {
      this.notify("notifications/message", { level, logger: "conformance-fixture", data });
    }
  }

  /** All at the same time. */
  async #askAll(questions, signal) {
    const answers = Object.entries(questions).map(async ([key, question]) => [key, await this.#ask(question, signal)]);
    return Object.fromEntries(await Promise.all(answers));
  }

  /** A client that stands for several others declares more than the one behind it can do, and refuses then. */
  async #askWhatItCan(questions, signal) {
    const each = Object.entries(questions).map(([key, question]) => this.#askAll({ [key]: question }, signal));
    const answers = (await Promise.allSettled(each)).map(({ value }) => value ?? {});
    const all = Object.assign({}, ...answers);
    if (Object.keys(all).length === 0) throw new Error("The client could answer nothing");
    return all;
  }

  #ask({ method, params }, signal) {
    const capability = NEEDED[method];
    if (this.#clientCapabilities[capability] === undefined) {
      return Promise.reject(new Error(`The client did not declare the capability "${capability}"`));
    }
    const id = `fixture-${++this.#asked}`;
    const answered = Promise.withResolvers();
    this.#waiting.set(id, answered);
    signal.addEventListener("abort", () => this.#takeBack(id));
    this.send({ id, method, params });
    return answered.promise;
  }

  /** Nobody waits for the call any more, so nobody has to answer its question. */
  #takeBack(id) {
    if (!this.#waiting.has(id)) return;
    this.notify("notifications/cancelled", { requestId: id, reason: "the call was cancelled" });
    this.settle({ id, error: { code: -32603, message: "the call was cancelled" } });
  }

  #subscribe(uri) {
    if (!readResource(uri)) refuse(-32002, "Resource not found", { uri });
    const tell = () => this.notify("notifications/resources/updated", { uri });
    if (!this.#watches.has(uri)) this.#watches.set(uri, setInterval(tell, UPDATE_MS));
    return {};
  }

  #unsubscribe(uri) {
    clearInterval(this.#watches.get(uri));
    this.#watches.delete(uri);
    return {};
  }
}
