/** What the hub, or the way to it, says went wrong: a title, why, and what was wrong with which field. */
import type { Problem as HubProblem } from "../../contract/problem.ts";

/** What comes from elsewhere on the way may lack any of it. */
export type ProblemBody = Partial<HubProblem>;

export class Problem extends Error {
  /** 0 where no answer came. */
  readonly status: number;
  readonly body: ProblemBody;

  constructor(status: number, body: ProblemBody) {
    super(body.detail ?? body.title ?? `HTTP ${status}`);
    this.name = "Problem";
    this.status = status;
    this.body = body;
  }

  /** What is wrong with this field of a form, if it is the one. */
  of(field: string): string | undefined {
    return this.body.errors?.find((one) => one.field === field)?.message;
  }
}

export function toProblem(cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  return new Problem(0, { detail: cause instanceof Error ? cause.message : String(cause) });
}
