/** Reads server-sent events as they come; only what tests need of them. */
export class EventReader {
  readonly #onEvent: (event: string, data: string) => void;
  /** Of the newest event that had one. */
  lastId = "";
  #text = "";

  constructor(onEvent: (event: string, data: string) => void) {
    this.#onEvent = onEvent;
  }

  push(chunk: string): void {
    this.#text += chunk.replaceAll("\r\n", "\n");
    const blocks = this.#text.split("\n\n");
    this.#text = blocks.pop() ?? "";
    for (const block of blocks) this.#read(block.split("\n"));
  }

  #read(lines: readonly string[]): void {
    const all = (field: string): string[] => {
      const found = lines.filter((line) => line.startsWith(`${field}:`));
      return found.map((line) => line.slice(field.length + 1).replace(/^ /, ""));
    };
    this.lastId = all("id").at(-1) ?? this.lastId;
    const data = all("data").join("\n");
    if (data !== "") this.#onEvent(all("event").at(-1) ?? "message", data);
  }
}
