/** A refusal of the registry: a problem document (RFC 9457), whose words are the user's language already. */
import type { Problem as WholeProblem } from "../contract/problem.ts";
import { CommandFailure } from "./failures.ts";

type Problem = Pick<WholeProblem, "detail" | "code" | "errors">;

export class HubRefusal extends CommandFailure {
  /** The row of the hub's error table. */
  readonly code: string;

  constructor(problem: Problem) {
    super("cli.hub.said", { text: textOf(problem) });
    this.name = "HubRefusal";
    this.code = problem.code;
  }
}

export function isProblem(body: object): body is Problem {
  return "detail" in body && typeof body.detail === "string" && "code" in body && typeof body.code === "string";
}

/** The detail names the first field that is wrong; the others are told with it. */
function textOf({ detail, errors = [] }: Problem): string {
  const others = errors.slice(1).map(({ field, message }) => `${field}: ${message}`);
  return [detail, ...others].join("; ");
}
