/**
 * The answer that is none yet: a server of a stateless revision names what it has to know first, and wants the same
 * request again with that. What it wrote, and what the client answers, passes as text. Pure.
 */
import { Payload } from "../json/payload.ts";
import { memberOf } from "../json/scan.ts";
import { mayHold, membersOf, withMembers, withoutMembers } from "../json/text-edit.ts";
import { memberString, memberText } from "../json-rpc/message.ts";

/** The methods whose result may ask for input. */
export const ASKING_METHODS: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

export interface InputRequired {
  readonly questions: readonly Question[];
  /** As it was written; undefined if there was none. */
  readonly requestState: string | undefined;
}

export interface Question {
  readonly key: string;
  readonly method: string;
  readonly params: Payload;
}

const RETRY_MEMBERS: ReadonlySet<string> = new Set(["inputResponses", "requestState"]);

/** Undefined if the result is any other. */
export function readInputRequired(result: string): InputRequired | undefined {
  if (!mayHold(result, "input_required")) return undefined;
  const members = membersOf(result);
  if (memberString(result, members, "resultType") !== "input_required") return undefined;
  const requests = memberOf(members, "inputRequests")?.members ?? [];
  const questions = requests.map(({ key, start, end }) => readQuestion(key, result.slice(start, end)));
  return { questions, requestState: memberText(result, members, "requestState") };
}

/** The same params, with what was asked for. */
export function retryParams(params: string, answers: ReadonlyMap<string, Payload>, state: string | undefined): string {
  const responses = [...answers].map(([key, { text }]) => `${JSON.stringify(key)}:${text}`);
  const told = [];
  if (answers.size > 0) told.push(`"inputResponses":{${responses.join(",")}}`);
  if (state !== undefined) told.push(`"requestState":${state}`);
  const rest = withoutMembers(params, (key) => RETRY_MEMBERS.has(key));
  return told.length === 0 ? rest : withMembers(rest, told.join(","));
}

/** Whether the params repeat a request whose state somebody gave out. */
export function hasRequestState(params: string): boolean {
  return mayHold(params, "requestState") && membersOf(params).some(({ key }) => key === "requestState");
}

/** The params without answers to questions: for a server that has not asked any. */
export function withoutAnswers(params: string): string {
  const mayHaveSome = mayHold(params, "inputResponses") || mayHold(params, "requestState");
  return mayHaveSome ? withoutMembers(params, (key) => RETRY_MEMBERS.has(key)) : params;
}

/** A question that is none has no method, which nobody can be asked. */
function readQuestion(key: string, text: string): Question {
  const members = membersOf(text);
  const method = memberString(text, members, "method") ?? "";
  return { key, method, params: Payload.ofText(memberText(text, members, "params") ?? "{}") };
}
