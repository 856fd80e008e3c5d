/** One connection of revision 2025-11-25: a handshake, cancellation by word, questions at any time. */
const METHODS = {
  initialize: ({ tools }) => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
    serverInfo: { name: tools.name, version: "1" },
  }),
  ping: () => ({}),
  "tools/list": ({ tools }) => ({ tools: tools.list() }),
  "tools/call": (connection, params, call) => connection.tools.run(params, call),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": ({ tools }) => ({ resourceTemplates: [tools.template] }),
  "resources/subscribe": (connection, { uri }) => connection.subscribe(uri),
  "resources/unsubscribe": (connection, { uri }) => connection.unsubscribe(uri),
};

export class Connection2025 {
  tools;
  #tell;
  #running = new Map();
  #questions = new Map();
  #uris = new Set();
  #asked = 0;

  /** @param tell sends what belongs to no request */
  constructor(tools, tell) {
    this.tools = tools;
    this.#tell = tell;
    tools.listen({
      wants: (method, uri) => method !== "notifications/resources/updated" || this.#uris.has(uri),
      tell: (method, params) => tell({ jsonrpc: "2.0", method, params }),
    });
  }

  /** @param send sends what belongs to this message */
  async receive(message, send = this.#tell) {
    const { id, method, params = {} } = message;
    if (method === "notifications/cancelled") this.#running.get(params.requestId)?.abort();
    else if (method === undefined) this.#questions.get(id)?.(message);
    else if (id !== undefined) await this.#answer(message, send);
  }

  /** The session was ended. */
  close() {
    for (const controller of this.#running.values()) controller.abort();
    this.forget();
  }

  /** What was subscribed to ends with its connection. */
  forget() {
    for (const uri of this.#uris) this.unsubscribe(uri);
  }

  subscribe(uri) {
    if (!this.#uris.has(uri)) this.tools.subscribe(uri);
    this.#uris.add(uri);
    return {};
  }

  unsubscribe(uri) {
    if (this.#uris.delete(uri)) this.tools.unsubscribe(uri);
    return {};
  }

  async #answer({ id, method, params = {} }, send) {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const call = this.#call(params, controller.signal, send);
    const result = await METHODS[method]?.(this, params, call);
    this.#running.delete(id);
    if (result) send({ jsonrpc: "2.0", id, result });
    else if (!METHODS[method]) send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
  }

  #call(params, signal, send) {
    const progressToken = params._meta?.progressToken;
    return {
      signal,
      progress: (progress) => {
        if (progressToken === undefined) return;
        send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } });
      },
      ask: (message) => {
        const id = `q${++this.#asked}`;
        const requestedSchema = { type: "object", properties: {} };
        send({ jsonrpc: "2.0", id, method: "elicitation/create", params: { message, requestedSchema } });
        return new Promise((resolve) => this.#questions.set(id, ({ result: answer }) => resolve({ answer })));
      },
    };
  }
}
