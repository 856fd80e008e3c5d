/**
 * Reads answers off a connection, one at a time, in either framing of HTTP/1.1, as JSON or as an event stream. Written for
 * this load alone: bytes are characters (Latin-1), and an answer that comes in one piece is not copied. A large one whose
 * length is known is gathered in one buffer, which is used again, so that it is never made a string.
 */
export interface HttpAnswer {
  readonly status: number;
  readonly head: string;
  /** The JSON-RPC message in it, empty if there is none; bytes if it is a large one. */
  readonly message: string | Buffer;
}

const LARGE = 65_536;

type Framing = { readonly kind: "length"; readonly bytes: number } | { readonly kind: "chunked" };

export class HttpAnswers {
  #pieces: string[] = [];
  #size = 0;
  #head: string | undefined;
  #framing: Framing = { kind: "length", bytes: 0 };
  readonly #onAnswer: (answer: HttpAnswer) => void;
  #large: Buffer | undefined;
  /** How much of the large one is there; 0 where none is being read. */
  #gathered = 0;

  constructor(onAnswer: (answer: HttpAnswer) => void) {
    this.#onAnswer = onAnswer;
  }

  take(bytes: Buffer): void {
    if (this.#gathered > 0) this.#gather(bytes);
    else this.#takeText(bytes.toString("latin1"));
  }

  #takeText(text: string): void {
    this.#pieces.push(text);
    this.#size += text.length;
    if (this.#head === undefined && !this.#readHead()) return;
    if (this.#framing.kind === "length") this.#takeLength(this.#framing.bytes);
    else this.#takeChunked();
  }

  #readHead(): boolean {
    const text = this.#joined();
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return false;
    this.#head = text.slice(0, end);
    this.#keep(text.slice(end + 4));
    this.#framing = framingOf(this.#head);
    return true;
  }

  #takeLength(bytes: number): void {
    if (this.#size >= bytes) this.#finish(this.#joined());
    else if (bytes > LARGE && this.#size > 0) {
      if (this.#large?.length !== bytes) this.#large = Buffer.allocUnsafeSlow(bytes);
      this.#gathered = this.#large.write(this.#joined(), "latin1");
      this.#keep("");
    }
  }

  #gather(bytes: Buffer): void {
    const large = this.#large as Buffer;
    this.#gathered += bytes.copy(large, this.#gathered);
    if (this.#gathered < large.length) return;
    this.#gathered = 0;
    this.#finish(large);
  }

  /** The last piece ends with the empty chunk; only then is it worth looking at the others. */
  #takeChunked(): void {
    const last = this.#pieces.at(-1) ?? "";
    const ending = last.length >= 7 ? last : this.#joined();
    if (ending === "0\r\n\r\n" || ending.endsWith("\r\n0\r\n\r\n")) this.#finish(withoutChunks(this.#joined()));
  }

  #finish(body: string | Buffer): void {
    const head = this.#head ?? "";
    this.#head = undefined;
    this.#keep("");
    const isStream = head.includes("text/event-stream");
    const message = isStream ? lastEvent(body.toString("latin1")) : body;
    this.#onAnswer({ status: Number(head.slice(9, 12)), head, message });
  }

  #joined(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join("")];
    return this.#pieces[0] ?? "";
  }

  #keep(text: string): void {
    this.#pieces = text === "" ? [] : [text];
    this.#size = text.length;
  }
}

function framingOf(head: string): Framing {
  const length = headerOf(head, "content-length");
  if (length !== undefined) return { kind: "length", bytes: Number(length) };
  return headerOf(head, "transfer-encoding") === undefined ? { kind: "length", bytes: 0 } : { kind: "chunked" };
}

/** Names count in any case, values as they are. */
export function headerOf(head: string, name: string): string | undefined {
  const at = head.toLowerCase().indexOf(`\r\n${name}:`);
  if (at < 0) return undefined;
  const from = at + name.length + 3;
  const end = head.indexOf("\r\n", from);
  return head.slice(from, end < 0 ? undefined : end).trim();
}

function withoutChunks(text: string): string {
  const chunks: string[] = [];
  for (let at = 0; ; ) {
    const from = text.indexOf("\r\n", at) + 2;
    const size = Number.parseInt(text.slice(at, from - 2), 16);
    if (!(size > 0)) return chunks.length === 1 ? (chunks[0] as string) : chunks.join("");
    chunks.push(text.slice(from, from + size));
    at = from + size + 2;
  }
}

/** The data of the last event that has any: the answer ends the stream. */
function lastEvent(body: string): string {
  for (let at = body.lastIndexOf("data:"); at >= 0; at = body.lastIndexOf("data:", at - 1)) {
    if (at > 0 && body.charCodeAt(at - 1) !== 0x0a) continue;
    const end = body.indexOf("\n", at);
    const data = body.slice(at + 5, end < 0 ? undefined : end).trim();
    if (data !== "") return data;
  }
  return "";
}
