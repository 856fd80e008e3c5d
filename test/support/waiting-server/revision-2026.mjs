/** Revision 2026-07-28: every request stands for itself, questions are results, changes go to those who listen. */
const PREFIX = "io.modelcontextprotocol/";
const VERSION = "2026-07-28";
const SUBSCRIPTION_ID = `${PREFIX}subscriptionId`;
const LISTS = { "notifications/tools/list_changed": "toolsListChanged" };

const METHODS = {
  "server/discover": () => ({
    supportedVersions: [VERSION],
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
    ttlMs: 0,
    cacheScope: "public",
  }),
  "tools/list": ({ tools }) => ({ tools: tools.list(), ttlMs: 0, cacheScope: "public" }),
  "tools/call": ({ tools }, { params }, call) => tools.run(params, call),
  "resources/list": () => ({ resources: [], ttlMs: 0, cacheScope: "public" }),
  "resources/templates/list": ({ tools }) => ({
    resourceTemplates: [tools.template],
    ttlMs: 0,
    cacheScope: "public",
  }),
  "subscriptions/listen": (connection, request, call) => connection.listen(request, call),
};

/** A pipe, or the one request of an HTTP exchange. */
export class Connection2026 {
  tools;
  #send;
  #running = new Map();

  constructor(tools, send) {
    this.tools = tools;
    this.#send = send;
  }

  async receive(message) {
    const { id, method, params = {} } = message;
    if (method === "notifications/cancelled") this.#running.get(params.requestId)?.abort();
    else if (id !== undefined) await this.#answer({ ...message, params });
  }

  /** Whoever asked has gone. */
  close() {
    for (const controller of this.#running.values()) controller.abort();
  }

  async listen({ id, params: { notifications: filter = {} } }, { signal }) {
    const uris = filter.resourceSubscriptions ?? [];
    const tell = (method, params) => this.#tell(method, { ...params, _meta: { [SUBSCRIPTION_ID]: id } });
    tell("notifications/subscriptions/acknowledged", { notifications: filter });
    for (const uri of uris) this.tools.subscribe(uri);
    const stop = this.tools.listen({ wants: (method, uri) => filter[LISTS[method]] || uris.includes(uri), tell });
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    stop();
    for (const uri of uris) this.tools.unsubscribe(uri);
  }

  #tell(method, params) {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  async #answer(request) {
    const { id, method, params } = request;
    const controller = new AbortController();
    this.#running.set(id, controller);
    const result = await this.#run(request, controller.signal);
    this.#running.delete(id);
    if (result) this.#send({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
    else if (!controller.signal.aborted) this.#send({ jsonrpc: "2.0", id, error: refusal(method, params) });
  }

  #run(request, signal) {
    const { method, params } = request;
    if (params._meta?.[`${PREFIX}protocolVersion`] !== VERSION) return undefined;
    return METHODS[method]?.(this, request, this.#call(params, signal));
  }

  #call(params, signal) {
    const progressToken = params._meta.progressToken;
    return {
      signal,
      progress: (progress) => {
        if (progressToken !== undefined) this.#tell("notifications/progress", { progressToken, progress });
      },
      ask: (message) => ({ answer: params.inputResponses?.which, question: questionOf(params, message) }),
    };
  }
}

/** Nothing of it is kept here: all that is needed comes again with the answer. */
function questionOf({ requestState, arguments: { nonce } }, message) {
  if (requestState === `state of ${nonce}`) return undefined;
  const params = { message, requestedSchema: { type: "object", properties: {} } };
  const inputRequests = { which: { method: "elicitation/create", params } };
  return { resultType: "input_required", inputRequests, requestState: `state of ${nonce}` };
}

function refusal(method, params) {
  if (params._meta?.[`${PREFIX}protocolVersion`] === VERSION) return { code: -32601, message: `No ${method} here` };
  return { code: -32022, message: "Unsupported protocol version", data: { supported: [VERSION] } };
}
