/** `K=V` and `'K: V'` as options write them. What does not fit is not repeated: it may hold a secret. */
import type { Context } from "./command.ts";
import { UsageError } from "./failures.ts";

export function pairOf(context: Context, option: string, text: string, separator: "=" | ":"): [string, string] {
  const at = text.indexOf(separator);
  const key = text.slice(0, at).trim();
  if (at >= 1 && key !== "") return [key, separator === "=" ? text.slice(at + 1) : text.slice(at + 1).trim()];
  const form = separator === "=" ? "K=V" : "'K: V'";
  throw new UsageError("cli.usage.pair", { option: `--${option}`, form }, context.command.name);
}

export function headerOf(context: Context, text: string): [string, string] {
  return pairOf(context, "header", text, ":");
}
