/** mpv's JSON IPC: requests with numbers, answers that carry them, and events in between. Knows no socket. */
import { ZaguanError } from "../../errors.ts";

export interface MpvEvent {
  readonly event: string;
  readonly reason?: string | undefined;
  readonly file_error?: string | undefined;
}

/** mpv's own word for why not: "property unavailable". */
class MpvRefusal extends Error {
  override readonly name = "MpvRefusal";
}

interface Answer extends Partial<MpvEvent> {
  readonly request_id?: number;
  readonly error?: string;
  readonly data?: unknown;
}

interface Waiting {
  resolve(data: unknown): void;
  reject(error: Error): void;
}

const ANSWER_MS = 5000;

export class MpvIpc {
  readonly #send: (line: string) => Promise<void>;
  readonly #onEvent: (event: MpvEvent) => void;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(send: (line: string) => Promise<void>, onEvent: (event: MpvEvent) => void) {
    this.#send = send;
    this.#onEvent = onEvent;
  }

  async request(...command: readonly unknown[]): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => reject(lost("it does not answer")), ANSWER_MS);
    this.#waiting.set(id, { resolve, reject });
    try {
      await this.#send(JSON.stringify({ command, request_id: id }));
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** Undefined where there is no such property now. */
  async property(name: string): Promise<unknown> {
    return await this.request("get_property", name).catch((error: unknown) => {
      if (error instanceof MpvRefusal) return undefined;
      throw error;
    });
  }

  receive(line: string): void {
    const answer = parse(line);
    if (answer?.event !== undefined) this.#onEvent(answer as MpvEvent);
    else if (answer?.request_id !== undefined) this.#settle(answer, this.#waiting.get(answer.request_id));
  }

  close(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(lost(reason));
  }

  #settle({ error, data }: Answer, waiting: Waiting | undefined): void {
    if (error === "success") waiting?.resolve(data);
    else waiting?.reject(new MpvRefusal(error));
  }
}

function parse(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}

function lost(reason: string): ZaguanError {
  return new ZaguanError("SOURCE_UNAVAILABLE", { params: { source: "mpv", reason } });
}
