/**
 * The fixture as revision 2025-11-25 speaks it, over any pair of "give me a message" and "send this message": a
 * handshake, requests in both directions, log levels and subscriptions. One object is one connection.
 */
import {
  complete,
  instructions,
  prompts,
  readResource,
  resources,
  resourceTemplates,
  serverInfo,
  shown,
  tools,
} from "./fixture-definitions.mjs";

const REVISION = "2025-11-25";
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
/** What the client must have declared before it may be asked. */
const NEEDED = { "sampling/createMessage": "sampling", "elicitation/create": "elicitation", "roots/list": "roots" };
const UPDATE_MS = 200;

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

export class Fixture2025 {
  #send;
  #clientCapabilities = {};
  #lowest = LEVELS.indexOf("info");
  #asked = 0;
  #waiting = new Map();
  #running = new Map();
  #watches = new Map();

  #methods = {
    initialize: (params) => this.#initialize(params),
    ping: () => ({}),
    "logging/setLevel": ({ level }) => this.#setLevel(level),
    "tools/list": () => ({ tools: tools.map(shown) }),
    "tools/call": (params, id) => this.#callTool(params, id),
    "resources/list": () => ({ resources: resources.map(shown) }),
    "resources/templates/list": () => ({ resourceTemplates }),
    "resources/read": ({ uri }) => ({ contents: readResource(uri) ?? refuse(-32002, "Resource not found", { uri }) }),
    "resources/subscribe": ({ uri }) => this.#subscribe(uri),
    "resources/unsubscribe": ({ uri }) => this.#unsubscribe(uri),
    "prompts/list": () => ({ prompts: prompts.map(shown) }),
    "prompts/get": (params) => getPrompt(params),
    "completion/complete": ({ argument }) => ({ completion: complete(argument) }),
  };

  constructor(send) {
    this.#send = send;
  }

  /** One line from the client. */
  async receive(line) {
    const message = parsed(line);
    if (message === undefined)
      this.#send({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
    else if (message.method === undefined) this.#settle(message);
    else if (message.id === undefined) this.#note(message);
    else await this.#answer(message);
  }

  close() {
    for (const timer of this.#watches.values()) clearInterval(timer);
    for (const controller of this.#running.values()) controller.abort();
  }

  async #answer({ id, method, params = {} }) {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const outcome = await this.#outcome(method, params, id);
    this.#running.delete(id);
    if (!controller.signal.aborted) this.#send({ jsonrpc: "2.0", id, ...outcome });
  }

  async #outcome(method, params, id) {
    try {
      const run = this.#methods[method] ?? refuse(-32601, `Method not found: ${method}`);
      return { result: await run(params, id) };
    } catch ({ code = -32603, message, data }) {
      return { error: { code, message, ...(data && { data }) } };
    }
  }

  #note({ method, params = {} }) {
    if (method === "notifications/cancelled") this.#running.get(params.requestId)?.abort();
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

  async #callTool({ name, arguments: args = {}, _meta: meta = {} }, id) {
    const tool = tools.find((known) => known.name === name) ?? refuse(-32602, `Unknown tool: ${name}`);
    try {
      return { content: await tool.run(args, this.#callOf(id, meta.progressToken)) };
    } catch (error) {
      return { content: [{ type: "text", text: error.message }], isError: true };
    }
  }

  #callOf(id, progressToken) {
    return {
      signal: this.#running.get(id).signal,
      log: (level, data) => this.#log(level, data),
      progress: (progress, total) => {
        if (progressToken !== undefined) this.#notify("notifications/progress", { progressToken, progress, total });
      },
      ask: (method, params) => this.#ask(method, params),
    };
  }

  #log(level, data) {
    if (LEVELS.indexOf(level) >= this.#lowest) {
      this.#notify("notifications/message", { level, logger: "conformance-fixture", data });
    }
  }

  #ask(method, params) {
    const capability = NEEDED[method];
    if (this.#clientCapabilities[capability] === undefined) {
      return Promise.reject(new Error(`The client did not declare the capability "${capability}"`));
    }
    const id = `fixture-${++this.#asked}`;
    const answered = Promise.withResolvers();
    this.#waiting.set(id, answered);
    this.#send({ jsonrpc: "2.0", id, method, params });
    return answered.promise;
  }

  #settle({ id, result, error }) {
    const answered = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) answered?.reject(new Error(`The client refused: ${error.message} (${error.code})`));
    else answered?.resolve(result);
  }

  #subscribe(uri) {
    if (!readResource(uri)) refuse(-32002, "Resource not found", { uri });
    const tell = () => this.#notify("notifications/resources/updated", { uri });
    if (!this.#watches.has(uri)) this.#watches.set(uri, setInterval(tell, UPDATE_MS));
    return {};
  }

  #unsubscribe(uri) {
    clearInterval(this.#watches.get(uri));
    this.#watches.delete(uri);
    return {};
  }

  #notify(method, params) {
    this.#send({ jsonrpc: "2.0", method, params });
  }
}

function getPrompt({ name, arguments: args = {} }) {
  const prompt = prompts.find((known) => known.name === name) ?? refuse(-32602, `Unknown prompt: ${name}`);
  const missing = prompt.arguments?.find((argument) => argument.required && args[argument.name] === undefined);
  if (missing) refuse(-32602, `Missing argument: ${missing.name}`);
  return { description: prompt.description, messages: prompt.messages(args) };
}

function refuse(code, message, data) {
  throw Object.assign(new Error(message), { code, data });
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
