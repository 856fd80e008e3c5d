/** Reads server-sent events out of a stream of text. Not EventSource, which cannot bring a key. */
export interface SseEvent {
  readonly name: string;
  readonly data: string;
}

export async function* eventsIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

/** Undefined for comments, which only keep the stream alive. */
export function eventIn(block: string): SseEvent | undefined {
  const lines = block.split("\n");
  const data = lines.flatMap((line) => (line.startsWith("data:") ? [line.slice(5).replace(/^ /, "")] : []));
  if (data.length === 0) return undefined;
  const name =
    lines
      .find((line) => line.startsWith("event:"))
      ?.slice(6)
      .trim() ?? "message";
  return { name, data: data.join("\n") };
}
