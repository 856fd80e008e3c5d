/** A client with a session that answers what it is asked by itself, with its own name, and what such tests read of it. */
import { answerTo, type Fields, type Message, type RequestOptions, type Sent } from "./clients/client.ts";
import { SessionClient } from "./clients/session-client.ts";
import { until } from "./processes.ts";

export const ASKABLE = { elicitation: {}, roots: { listChanged: true } };

/** What a server that was asked at its own address is told. */
export class AskedClient {
  readonly name: string;
  readonly session: SessionClient;
  readonly #answered = new Set<unknown>();

  static async open(name: string, url: string, capabilities: Fields = ASKABLE): Promise<AskedClient> {
    const session = await SessionClient.open(url, capabilities);
    await session.listen();
    return new AskedClient(name, session);
  }

  private constructor(name: string, session: SessionClient) {
    this.name = name;
    this.session = session;
  }

  send(tool: string, args: Fields = {}, options?: RequestOptions): Sent {
    return this.session.request("tools/call", { name: tool, arguments: args }, options);
  }

  /** Resolves with the text of the result, or with the code of the failure; questions are answered meanwhile. */
  async call(tool: string, args: Fields = {}, options?: RequestOptions): Promise<string> {
    const sent = this.send(tool, args, options);
    const timer = setInterval(() => this.answerAll(), 5);
    return await answerTo(sent)
      .then(textOf)
      .finally(() => clearInterval(timer));
  }

  questions(): readonly Message[] {
    return this.session.unasked.filter(({ id, method }) => id !== undefined && method !== undefined);
  }

  answerAll(): void {
    for (const { id, method } of this.questions()) {
      if (this.#answered.has(id)) continue;
      this.#answered.add(id);
      this.session.respond(
        id,
        method === "roots/list" ? { roots: [{ uri: `file:///${this.name}` }] } : accept(this.name),
      );
    }
  }

  async isAsked(): Promise<void> {
    await until(`${this.name} is asked`, () => this.questions().some(({ id }) => !this.#answered.has(id)));
  }

  heard(method: string): readonly Message[] {
    return this.session.unasked.filter((message) => message.method === method);
  }
}

export function accept(name: string): Fields {
  return { action: "accept", content: { name } };
}

export function textOf({ result, error }: Message): string {
  if (error) return `${error.code} ${String(error.data?.["code"] ?? "")} ${error.message}`;
  return (result?.["content"] as { text?: string }[] | undefined)?.[0]?.text ?? "";
}
