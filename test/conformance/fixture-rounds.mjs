/**
 * Questions to the client in revision 2026-07-28: the request is answered with "more input is needed", and comes again
 * with the answers. What must be known then travels with it as `requestState`, under a seal that only we can make.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { refuse } from "./fixture-connection.mjs";

const KEY = randomBytes(32);
const STATE_MS = 10 * 60_000;

/** Thrown out of a tool that cannot go on; it is run again from its beginning. */
export class InputRequired {
  constructor(result) {
    this.result = { resultType: "input_required", ...result };
  }
}

/** One request, on its first round or a later one. */
export class Round {
  #subject;
  #answers;
  #hasState;

  constructor({ method, params }) {
    const { name, arguments: args = {}, inputResponses = {}, requestState } = params;
    if (!isObject(inputResponses)) refuse(-32602, "inputResponses must be an object");
    this.#subject = createHash("sha256")
      .update(JSON.stringify([method, name, args]))
      .digest("base64url");
    this.#hasState = requestState !== undefined;
    this.#answers = { ...(this.#hasState && this.#opened(requestState)), ...inputResponses };
  }

  /** The answers by key; throws InputRequired while any is missing. */
  ask(questions, { remember = false } = {}) {
    const usable = !remember || this.#hasState;
    const isOpen = ([key, { method }]) => !usable || !isAnswer(method, this.#answers[key]);
    const open = Object.entries(questions).filter(isOpen);
    if (open.length === 0) return this.#answers;
    const state = remember && { requestState: this.#sealed(usable ? this.#answers : {}) };
    throw new InputRequired({ inputRequests: Object.fromEntries(open), ...state });
  }

  #sealed(answers) {
    const state = { subject: this.#subject, until: Date.now() + STATE_MS, answers };
    const text = Buffer.from(JSON.stringify(state)).toString("base64url");
    return `${text}.${sealOf(text)}`;
  }

  #opened(requestState) {
    const [text, seal = ""] = String(requestState).split(/\.(.*)/s);
    const ours = Buffer.from(sealOf(text));
    const theirs = Buffer.from(seal);
    if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) refuse(-32602, "requestState was changed");
    const { subject, until, answers } = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (subject !== this.#subject) refuse(-32602, "requestState belongs to another request");
    if (until < Date.now()) refuse(-32602, "requestState has expired");
    return answers;
  }
}

export function isAnswer(method, answer) {
  if (!isObject(answer)) return false;
  if (method === "elicitation/create") return typeof answer.action === "string";
  return method === "roots/list" ? Array.isArray(answer.roots) : answer.content !== undefined;
}

function sealOf(text) {
  return createHmac("sha256", KEY).update(text).digest("base64url");
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
