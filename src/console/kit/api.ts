/** The public API of the hub, and the problems that it answers with. Addresses are relative to the page. */
import { type Client, makeClient } from "../../contract/client.ts";
import type { Problem as HubProblem } from "../../contract/problem.ts";
import { keyHeader, keyWanted } from "./key.ts";
import { language, t } from "./words.ts";

interface Asking {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One request. Gives the answer as it is; rejects with a Problem where its status is no success. */
export async function ask(method: string, path: string, { body, headers, signal }: Asking = {}): Promise<Response> {
  const answer = await fetch(path.replace(/^\//, ""), {
    method,
    headers: {
      ...keyHeader(),
      "accept-language": language.get(),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((cause) => {
    // The browser's own message is not translated.
    throw signal?.aborted ? cause : new Problem(0, { detail: t("problem.unreachable") });
  });
  if (answer.ok) return answer;
  if (answer.status === 401) keyWanted.set(true);
  throw new Problem(answer.status, await problemIn(answer));
}

/** Every operation of the REST API by its name. */
export const rest: Client<AbortSignal> = makeClient((method, path, body, signal) =>
  send(method, path, { body, signal }),
);

export interface Page<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** A list that comes in pages. */
export async function getPage<T>(path: string, signal?: AbortSignal): Promise<Page<T>> {
  const answer = await ask("GET", path, { signal });
  const rows = (await answer.json()) as T[];
  return { rows, total: Number(answer.headers.get("x-total-count") ?? rows.length) };
}

/** One request and the JSON of its answer; undefined where the answer is empty (204). */
export async function send<Answer = void>(method: string, path: string, asking?: Asking): Promise<Answer> {
  const answer = await ask(method, path, asking);
  return (answer.status === 204 ? undefined : await answer.json()) as Answer;
}

export function at(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: strings }, ...values.map((value) => encodeURIComponent(value)));
}

async function problemIn(answer: Response): Promise<ProblemBody> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (typeof body !== "object" || body === null) return { title: `${answer.status} ${answer.statusText}` };
  // Doors of JSON-RPC answer with an error object instead.
  const { error } = body as { error?: { message?: string } };
  return error?.message ? { detail: error.message, rpc: error } : withoutStatusTitle(body as ProblemBody);
}

/** The problem without a title of the type `about:blank` (RFC 9457): that only repeats the status, in English. */
function withoutStatusTitle(body: ProblemBody): ProblemBody {
  const { title: _, ...rest } = body;
  return body["type"] === "about:blank" && body.detail !== undefined ? rest : body;
}

/** Answers of a proxy on the way may lack any member. */
export type ProblemBody = Partial<HubProblem>;

/** What the hub, or the way to it, says went wrong: a title, why, and what was wrong with which field. */
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

  /** What the hub found wrong with this field of a form. */
  of(field: string): string | undefined {
    return this.body.errors?.find((one) => one.field === field)?.message;
  }
}

export function toProblem(cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  return new Problem(0, { detail: cause instanceof Error ? cause.message : String(cause) });
}
