/** What the hub, or the way to it, says went wrong: a title, why, and what was wrong with which field. */
export interface ProblemBody {
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly code?: string | undefined;
  readonly errors?: readonly { readonly field: string; readonly message: string }[] | undefined;
  readonly [member: string]: unknown;
}

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
