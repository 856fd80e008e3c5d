/** Arguments that cannot be sent: the caller is told which and why, and nothing leaves. */
import { ZaguanError } from "../../errors.ts";

export function wrongArgument(reason: string): ZaguanError {
  return new ZaguanError("INVALID_ARGUMENT", { params: { reason }, delivery: "not_sent" });
}

export function missingArgument(argument: string): ZaguanError {
  return wrongArgument(`missing required parameter '${argument}'`);
}
