/** Server-sent events: reads them out of a stream of text, and notices when a stream has fallen silent. */

export interface SseEvent {
  readonly name: string;
  readonly data: string;
}

export async function* eventsIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of piecesOf(stream)) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

/** The chunks of a stream, as not every browser can iterate over one. Cancels the stream when the reader stops. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** Undefined for comments, which only keep the stream alive. */
export function eventIn(block: string): SseEvent | undefined {
  const lines = block.split("\n");
  const data = lines.flatMap((line) => (line.startsWith("data:") ? [line.slice(5).replace(/^ /, "")] : []));
  if (data.length === 0) return undefined;
  const named = lines.find((line) => line.startsWith("event:"));
  return { name: named?.slice(6).trim() ?? "message", data: data.join("\n") };
}

/**
 * Aborts its signal when nothing was heard for too long: a connection that was lost on the way (a laptop that slept, another
 * network) ends for a browser only after minutes. By the time of day, since other clocks stand still while a machine sleeps.
 */
export class Silence {
  readonly #over = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #heardAt = Date.now();

  constructor(longestMs: number) {
    const look = (): void => {
      if (Math.abs(Date.now() - this.#heardAt) >= longestMs) this.#over.abort();
    };
    this.#timer = setInterval(look, longestMs / 4);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  heard(): void {
    this.#heardAt = Date.now();
  }

  /** Stops the timer. */
  end(): void {
    clearInterval(this.#timer);
  }
}
