/** What a countdown is to do: py-xiaozhi writes it as JSON text, a tool's name and its arguments. */
import { isObject } from "../../contract/rules.ts";
import type { MessageKey, MessageParams } from "../../messages/catalogue.ts";

export interface Command {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Why it cannot be done. */
interface Wrong {
  readonly key: MessageKey;
  readonly params?: MessageParams | undefined;
}

const MOST_CHARACTERS = 4_000;
/** A countdown may not call these: it could start itself again for ever. */
const OWN_TOOLS = ["timer.start_countdown", "timer.cancel_countdown", "timer.get_active_timers"];

export function parseCommand(text: string): Command | Wrong {
  if (text.length > MOST_CHARACTERS) {
    return { key: "timer.tooLong", params: { name: "command", most: MOST_CHARACTERS } };
  }
  const value = parsed(text);
  if (value === undefined) return { key: "timer.badJson", params: { command: text.slice(0, 200) } };
  const { name, arguments: args } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || name === "" || !isObject(args)) return { key: "timer.badCommand" };
  return isUserTool(name) ? { key: "timer.noTimers", params: { tool: name.slice(0, 200) } } : { tool: name, args };
}

export function isWrong(command: Command | Wrong): command is Wrong {
  return "key" in command;
}

/** Under whatever server's name: in the catalogue, `server__name` always works. */
function isUserTool(name: string): boolean {
  return OWN_TOOLS.some((own) => name === own || name.endsWith(`__${own}`));
}

/** Undefined, which JSON cannot say, for what is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
