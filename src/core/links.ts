/**
 * What binds an agent to a tool: some arguments may be fixed, others left to the agent. The agent neither sees nor gives
 * what is fixed, and the tool gets both.
 */
import { isObject } from "../contract/rules.ts";
import { ZaguanError } from "../errors.ts";
import { type Language, say } from "../messages/catalogue.ts";
import { Payload } from "../protocol/json/payload.ts";
import { membersOf, withMember, withoutMembers } from "../protocol/json/text-edit.ts";
import type { CallRequest, ToolDefinition } from "./call.ts";

/** One tool that an agent may use. */
export interface Link {
  /** Given to the tool with every call, whatever the agent says. */
  readonly fixedArguments?: Readonly<Record<string, unknown>> | undefined;
  /** The arguments that the agent may give; absent: all. */
  readonly allowedArguments?: readonly string[] | undefined;
}

/** All that an agent is linked to. Asked at every call, so that a change counts at once. */
export interface Links {
  find(source: string, tool: string): Link | undefined;
  /** Every tool that it is linked to, as it was last seen: its source may be away. */
  all?(): Iterable<LinkedTool>;
}

export interface LinkedTool {
  readonly source: string;
  readonly tool: ToolDefinition;
}

/** The tool as the agent is to see it. */
export function linkedTool(tool: ToolDefinition, link: Link): ToolDefinition {
  const { fixedArguments, allowedArguments } = link;
  if (!fixedArguments && !allowedArguments) return tool;
  const { properties, required, ...rest } = tool.inputSchema;
  const isOpen = (name: string): boolean => mayGive(link, name);
  const inputSchema: Record<string, unknown> = { ...rest };
  if (isObject(properties)) {
    inputSchema["properties"] = Object.fromEntries(Object.entries(properties).filter(([name]) => isOpen(name)));
  }
  if (Array.isArray(required)) inputSchema["required"] = required.filter((name) => isOpen(String(name)));
  return { ...tool, inputSchema };
}

/** The call as its tool is to get it; throws INVALID_ARGUMENT if the agent gives what is not its to give. */
export function linkedCall(request: CallRequest, link: Link): CallRequest {
  const { fixedArguments = {}, allowedArguments } = link;
  const fixed = Object.entries(fixedArguments);
  if (fixed.length === 0 && !allowedArguments) return request;
  const given = membersOf(request.args.text).map(({ key }) => key);
  const wrong = given.filter((name) => !mayGive(link, name));
  if (wrong.length > 0) throw notYours(wrong, request.language);
  let text = request.args.text;
  for (const [name, value] of fixed) text = withMember(text, name, JSON.stringify(value));
  const params = request.params && Payload.ofText(withMember(request.params.text, "arguments", text));
  return { ...request, args: Payload.ofText(text), params };
}

/**
 * The params of who may not use everything, without members that a server which is not strict would take for the tool's
 * name or its arguments.
 */
export function withoutLookalikes(params: Payload): Payload {
  const isLookalike = (key: string): boolean => ["name", "arguments"].some((own) => key !== own && folded(key) === own);
  const text = withoutMembers(params.text, isLookalike);
  return text === params.text ? params : Payload.ofText(text);
}

function mayGive({ fixedArguments, allowedArguments }: Link, name: string): boolean {
  const meant = folded(name);
  if (Object.keys(fixedArguments ?? {}).some((fixed) => folded(fixed) === meant)) return false;
  return allowedArguments?.includes(name) ?? true;
}

/** The name as a lenient server may read it: without letter case, Unicode variants, spaces and invisible characters. */
function folded(name: string): string {
  const seen = name.normalize("NFKC").replace(/[\s\p{C}\p{Default_Ignorable_Code_Point}]/gu, "");
  return seen.toUpperCase().toLowerCase();
}

function notYours(names: readonly string[], language: Language): ZaguanError {
  const rule = say(language, "argument.notYours");
  const issues = names.map((name) => ({ path: name.slice(0, 100), rule }));
  const reason = issues.map(({ path }) => say(language, "argument.wrong", { path, rule })).join("; ");
  return new ZaguanError("INVALID_ARGUMENT", { params: { reason }, data: { issues }, delivery: "not_sent" });
}
