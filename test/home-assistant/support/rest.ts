/** Home Assistant's REST API as it is, for tests that look at it without any code of ours. */
import type { RealHome } from "../../support/real-home.ts";

export interface Answer {
  readonly status: number;
  readonly type: string;
  /** Parsed where it says that it is JSON. */
  readonly body: unknown;
}

export interface State {
  readonly entity_id: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly context: { readonly id: string; readonly user_id: string | null };
}

export class Rest {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, token }: Pick<RealHome, "url" | "token">) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  }

  get(path: string): Promise<Answer> {
    return this.#ask("GET", path);
  }

  post(path: string, body: object): Promise<Answer> {
    return this.#ask("POST", path, JSON.stringify(body));
  }

  delete(path: string): Promise<Answer> {
    return this.#ask("DELETE", path);
  }

  /** Without anything in it if there is no such entity. */
  async state(entity: string): Promise<Partial<State>> {
    const { status, body } = await this.get(`/api/states/${entity}`);
    return status === 404 ? {} : (body as State);
  }

  async #ask(method: string, path: string, body: string | null = null): Promise<Answer> {
    const answer = await fetch(`${this.#url}${path}`, { method, headers: this.#headers, body });
    const type = answer.headers.get("content-type") ?? "";
    const isJson = type.startsWith("application/json");
    return { status: answer.status, type, body: isJson ? await answer.json() : await answer.text() };
  }
}
