/**
 * The tasks extension of revision 2026-07-28: work that outlives the request that began it, on whichever connection of
 * this process it is asked for.
 */
import { randomUUID } from "node:crypto";
import { errorOf, isRefusal, refuse } from "./fixture-connection.mjs";
import { announceTask } from "./fixture-listening.mjs";
import { isAnswer } from "./fixture-rounds.mjs";

const TTL_MS = 10 * 60_000;
const POLL_MS = 100;
const tasks = new Map();

export const knowsTask = (taskId) => tasks.has(taskId);

/** The methods of the extension. */
export const taskMethods = {
  "tasks/get": ({ taskId }) => find(taskId).detail(),
  "tasks/update": ({ taskId, inputResponses }) => find(taskId).answer(inputResponses ?? {}),
  "tasks/cancel": ({ taskId }) => find(taskId).cancel(),
};

/** Begins the work and gives the result that says so; `work(call)` gives content or throws. */
export function startTask(work) {
  const task = new Task();
  tasks.set(task.id, task);
  setTimeout(() => tasks.delete(task.id), TTL_MS).unref();
  const created = { resultType: "task", ...task.base() };
  task.run(work);
  return created;
}

class Task {
  id = randomUUID();
  #status = "working";
  #createdAt = new Date().toISOString();
  #updatedAt = this.#createdAt;
  #ending = {};
  #open = new Map();
  #controller = new AbortController();

  base() {
    const times = { createdAt: this.#createdAt, lastUpdatedAt: this.#updatedAt };
    return { taskId: this.id, status: this.#status, ...times, ttlMs: TTL_MS, pollIntervalMs: POLL_MS };
  }

  detail() {
    const questions = [...this.#open].map(([key, { question }]) => [key, question]);
    const inputRequests = questions.length > 0 && { inputRequests: Object.fromEntries(questions) };
    return { ...this.base(), ...this.#ending, ...inputRequests };
  }

  /** A tool that fails has completed; only a request that could not be served has failed. */
  async run(work) {
    const call = { signal: this.#controller.signal, ask: (questions) => this.#ask(questions), log() {}, progress() {} };
    try {
      this.#end("completed", { result: { content: await work(call) } });
    } catch (failure) {
      if (isRefusal(failure)) this.#end("failed", { error: errorOf(failure) });
      else this.#end("completed", { result: { content: [{ type: "text", text: failure.message }], isError: true } });
    }
  }

  answer(responses) {
    for (const [key, { question, resolve }] of this.#open) {
      if (!isAnswer(question.method, responses[key])) continue;
      this.#open.delete(key);
      resolve([key, responses[key]]);
    }
    if (this.#open.size === 0 && this.#status === "input_required") this.#become("working");
    return {};
  }

  cancel() {
    this.#end("cancelled", {});
    this.#controller.abort();
    return {};
  }

  async #ask(questions) {
    const answers = Object.entries(questions).map(([key, question]) => {
      const { promise, resolve } = Promise.withResolvers();
      this.#open.set(key, { question, resolve });
      return promise;
    });
    this.#become("input_required");
    return Object.fromEntries(await Promise.all(answers));
  }

  #end(status, ending) {
    if (["completed", "failed", "cancelled"].includes(this.#status)) return;
    this.#ending = ending;
    this.#open.clear();
    this.#become(status);
  }

  #become(status) {
    this.#status = status;
    this.#updatedAt = new Date().toISOString();
    announceTask(this.detail());
  }
}

function find(taskId) {
  return tasks.get(taskId) ?? refuse(-32602, `Unknown task: ${taskId}`, { taskId });
}
