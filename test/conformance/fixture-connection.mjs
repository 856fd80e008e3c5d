/**
 * What both forms of the fixture have in common: one object is one connection over any pair of "give me a message" and
 * "send this message". It reads a line, runs the request, answers it, and is silent about what was cancelled meanwhile.
 */

export class FixtureConnection {
  #send;
  #running = new Map();

  constructor(send) {
    this.#send = send;
  }

  /** One line from the client. */
  async receive(line) {
    const message = parsed(line);
    if (message === undefined) this.send({ id: null, error: { code: -32700, message: "Parse error" } });
    else if (!isMessage(message)) this.send({ id: null, error: { code: -32600, message: "Not a message" } });
    else if (message.method === undefined) this.settle(message);
    else if (message.id === undefined) this.#note(message);
    else await this.#answer(message);
  }

  close() {
    for (const controller of this.#running.values()) controller.abort();
  }

  send(message) {
    this.#send({ jsonrpc: "2.0", ...message });
  }

  notify(method, params) {
    this.send({ method, params });
  }

  /** An answer of the client; for forms that ask. */
  settle(_response) {}

  async #answer(request) {
    const controller = new AbortController();
    this.#running.set(request.id, controller);
    const outcome = await this.#outcome(request, controller.signal);
    this.#running.delete(request.id);
    if (!controller.signal.aborted) this.send({ id: request.id, ...outcome });
  }

  async #outcome(request, signal) {
    try {
      return { result: await this.run({ ...request, params: request.params ?? {} }, signal) };
    } catch (failure) {
      return { error: errorOf(failure) };
    }
  }

  #note({ method, params = {} }) {
    if (method === "notifications/cancelled") this.#running.get(params.requestId)?.abort();
  }
}

/** Fails the request itself, where a plain Error fails the tool. */
export function refuse(code, message, data) {
  throw Object.assign(new Error(message), { code, data });
}

export function isRefusal(failure) {
  return typeof failure?.code === "number";
}

export function errorOf(failure) {
  const { message, data } = failure;
  return { code: isRefusal(failure) ? failure.code : -32603, message, ...(data && { data }) };
}

function isMessage(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
