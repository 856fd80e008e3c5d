/**
 * What the server offers, in whichever revision: tools that write into the ledger, and resources of which it tells. All
 * connections of the process share it.
 */
const PROGRESS_MS = 20;

const text = (value) => ({ content: [{ type: "text", text: value }] });

export class Tools {
  name;
  #ledger;
  #added = [];
  /** Everybody who can be told of changes: each has `wants(method, uri)` and `tell(method, params)`. */
  #listeners = new Set();
  #uris = new Map();

  constructor(name, ledger) {
    this.name = name;
    this.#ledger = ledger;
  }

  get template() {
    return { name: "nonces", uriTemplate: `${this.name}://{nonce}` };
  }

  list() {
    const properties = { nonce: { type: "string" }, isLate: { type: "boolean" } };
    const inputSchema = { type: "object", properties, required: ["nonce"] };
    return ["wait", "echo", "ask", ...this.#added].map((name) => ({ name, inputSchema }));
  }

  /** `call` has the signal of its cancellation, and ways to tell of progress and to ask. */
  run({ name, arguments: args = {} }, call) {
    this.#ledger.write("began", args.nonce);
    return this.#runs[name]?.(args, call) ?? text(args.nonce);
  }

  /** Returns how to stop. */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells of another tool, and of every resource that somebody wants to hear of. */
  change() {
    this.#added.push(`added-${this.#added.length}`);
    this.#tell("notifications/tools/list_changed", {});
    for (const uri of this.#uris.keys()) this.#tell("notifications/resources/updated", { uri });
  }

  subscribe(uri) {
    const count = (this.#uris.get(uri) ?? 0) + 1;
    this.#uris.set(uri, count);
    if (count === 1) this.#ledger.write("subscribed", uri);
  }

  unsubscribe(uri) {
    const count = (this.#uris.get(uri) ?? 1) - 1;
    if (count > 0) this.#uris.set(uri, count);
    else if (this.#uris.delete(uri)) this.#ledger.write("unsubscribed", uri);
  }

  #tell(method, params) {
    for (const { wants, tell } of this.#listeners) if (wants(method, params.uri)) tell(method, params);
  }

  #runs = {
    wait: async ({ nonce, isLate }, { signal, progress }) => {
      let steps = 0;
      progress(++steps);
      const timer = setInterval(() => progress(++steps), PROGRESS_MS);
      await aborted(signal);
      this.#ledger.write("told", nonce);
      clearInterval(timer);
      return isLate ? text("too late") : undefined;
    },
    ask: async ({ nonce }, { ask }) => {
      this.#ledger.write("asked", nonce);
      const { answer, question } = await ask(`which, ${nonce}?`);
      if (question) return question;
      this.#ledger.write("answered", nonce);
      return text(JSON.stringify(answer));
    },
  };
}

function aborted(signal) {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
