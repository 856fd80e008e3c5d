/** A client that makes calls in the middle of which it is asked something, in the way of either era. */
import { answersTo, answerTo, type Fields, type McpClient, type Message, type Sent } from "./clients/client.ts";
import { type Place, toolAt } from "./doors.ts";
import { until } from "./processes.ts";

/** A call that was asked back. */
export interface Asked {
  readonly nonce: string;
  readonly sent: Sent;
  /** The question's own id, or the state to be repeated with the answer. */
  readonly question: Message;
}

export const ACCEPTED = { action: "accept", content: {} };

export class Asker {
  readonly client: McpClient;
  readonly #place: Place;

  constructor(client: McpClient, place: Place) {
    this.client = client;
    this.#place = place;
  }

  /** Resolves when the question has come. */
  async ask(nonce: string): Promise<Asked> {
    const sent = this.#call(nonce);
    if (this.client.era === "2026") return { nonce, sent, question: await answerTo(sent) };
    const questions = (): Message[] => this.client.unasked.filter(({ params }) => isAbout(params, nonce));
    await until(`there is a question about ${nonce}`, () => questions().length + answersTo(sent).length > 0);
    return { nonce, sent, question: questions()[0] ?? answersTo(sent)[0] ?? {} };
  }

  /** Answers the question; resolves with what the call came to. */
  answer({ nonce, sent, question }: Asked): Promise<Message> {
    if (this.client.era === "2026") return answerTo(this.#call(nonce, repeated(question)));
    this.client.respond(question.id, ACCEPTED);
    return answerTo(sent);
  }

  #call(nonce: string, more: Fields = {}): Sent {
    const params = { name: toolAt(this.#place, "ask"), arguments: { nonce }, ...more };
    return this.client.request("tools/call", params);
  }
}

function isAbout(params: Fields | undefined, nonce: string): boolean {
  return String(params?.["message"]).includes(nonce);
}

/** What the same request has beside its own params when it comes again. */
function repeated({ result }: Message): Fields {
  const keys = Object.keys((result?.["inputRequests"] ?? {}) as Fields);
  return {
    requestState: result?.["requestState"],
    inputResponses: Object.fromEntries(keys.map((key) => [key, ACCEPTED])),
  };
}
