/** The public API of the hub, as anybody uses it. Addresses are relative to the page. */
import { type Client, makeClient } from "../../contract/client.ts";
import { keyHeader, keyWanted } from "./key.ts";
import { Problem, type ProblemBody } from "./problem.ts";
import { language, t } from "./words.ts";

interface Asking {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The answer as it is; rejects with a Problem where it is no success. */
export async function ask(method: string, path: string, { body, headers, signal }: Asking = {}): Promise<Response> {
  const answer = await fetch(path.replace(/^\//, ""), {
    method,
    headers: { ...heads(), ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((cause) => {
    // The browser's own words for it are in no language that was asked for.
    throw signal?.aborted ? cause : new Problem(0, { detail: t("problem.unreachable") });
  });
  if (answer.ok) return answer;
  if (answer.status === 401) keyWanted.set(true);
  throw new Problem(answer.status, await problemIn(answer));
}

function heads(): Record<string, string> {
  return { ...keyHeader(), "accept-language": language.get() };
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

/** `Answer` is undefined for those that answer nothing. */
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
  // Doors that speak JSON-RPC say it in their own words.
  const { error } = body as { error?: { message?: string } };
  return error?.message ? { detail: error.message, rpc: error } : withoutStatusTitle(body as ProblemBody);
}

/** `about:blank` says that the title is no more than the status, in English. */
function withoutStatusTitle(body: ProblemBody): ProblemBody {
  const { title: _, ...rest } = body;
  return body["type"] === "about:blank" && body.detail !== undefined ? rest : body;
}
