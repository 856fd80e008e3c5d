/**
 * The event streams of one session: those of answers under way, which go on while their client is away, and the one on
 * which it hears what is said unasked. Which of them an id belongs to stands in the id.
 */
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { ReplayLogs, SessionLogs } from "../../core/shared/replay-log.ts";
import { ZaguanError } from "../../errors.ts";
import { EventStream } from "../http/event-stream.ts";
import { ResumableStream } from "./resumable-stream.ts";

/** So long is kept what is said unasked while nobody listens. */
const AWAY_MS = 60_000;

/**
 * `p` for the answer to a POST, `g` for the stream of a GET. In a cluster it names the request that is answered, and the node
 * that holds the stream.
 */
const EVENT_ID = /^([0-9a-f]{8}([pg])[0-9]{1,12}(?:~([\w-]{0,128})(\.[a-z0-9_-]+\.[0-9a-z]+))?)-([0-9]{1,12})$/;
/** A request whose id is longer is not named. */
const MOST_ID = 96;

interface SessionStreamsOptions {
  readonly sessionId: string;
  /** Whether the client knows events without data that only tell it where to come back to. */
  readonly primes: boolean;
  /** Of all sessions. */
  readonly logs: ReplayLogs;
  /** The end of ids that this node issues; undefined for a hub that runs alone. */
  readonly idSuffix?: string | undefined;
}

export class SessionStreams {
  readonly #options: SessionStreamsOptions;
  #answers: ResumableStream[] = [];
  #listening: ResumableStream | undefined;
  /** Made with the first stream: most sessions never have one. */
  #logs: SessionLogs | undefined;
  /** In every id, so that one of another session is never taken for one of ours. */
  #tag = "";
  #made = 0;
  #hasEnded = false;

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return [...this.#answers, this.#listening].some((stream) => stream?.isConnected);
  }

  /** Begins the stream of an answer. @param request its id, as JSON */
  begin(response: ServerResponse, request = ""): ResumableStream {
    const stream = this.#make("p", request);
    this.#answers.push(stream);
    stream.connect(this.#open(response), 0);
    return stream;
  }

  /** Begins the stream for what is said unasked. What was kept for one that went before is lost. */
  listen(response: ServerResponse): void {
    if (this.#listening?.isConnected) throw new ZaguanError("STREAM_TAKEN");
    this.#listening?.forget();
    this.#listening = this.#make("g");
    this.#listening.connect(this.#open(response), 0);
  }

  /**
   * Takes a stream up after the event of this id; false if there is nothing to be had. Who comes too late for what was
   * said unasked listens anew: refused, official clients would never listen again. An answer that was lost with its node is
   * told as lost.
   *
   * @param lost the answer to a request, by its id, that nobody can give any more
   */
  takeUp(eventId: string, response: ServerResponse, lost: (request: string) => string): boolean {
    const [, name = "", kind, request = "", suffix, number] = EVENT_ID.exec(eventId) ?? [];
    const stream = this.#find(name);
    const isThere = stream?.hasMoreAfter(Number(number)) ?? false;
    const { idSuffix } = this.#options;
    const isOfAnother = suffix !== undefined && idSuffix !== undefined && suffix !== idSuffix;
    if (isThere) stream?.connect(this.#open(response), Number(number));
    else if (kind === "g" && (isOfAnother || this.#isOurs(name))) this.listen(response);
    else if (isOfAnother && request !== "")
      this.#tellLost(response, lost(Buffer.from(request, "base64url").toString()));
    else return false;
    return true;
  }

  #tellLost(response: ServerResponse, answer: string): void {
    const stream = this.begin(response);
    stream.send(answer);
    stream.finish();
  }

  /** Says something unasked; false if nobody listens, nor has stopped only just now. */
  tell(message: string): boolean {
    return this.#listening?.send(message) ?? false;
  }

  /** Drops what nobody is expected to come back for. */
  sweep(now: number): void {
    this.#drop(this.#answers.filter((stream) => stream.isOver(now)));
    if (this.#listening && this.#listening.aloneMs(now) > AWAY_MS) this.stopListening();
  }

  /** Nothing more is said unasked. */
  stopListening(): void {
    this.#listening?.finish();
    this.#listening?.forget();
    this.#listening = undefined;
  }

  /** The session is over. Answers under way still go where somebody is connected. */
  end(): void {
    this.#hasEnded = true;
    this.stopListening();
    this.#drop(this.#answers);
  }

  #drop(answers: readonly ResumableStream[]): void {
    if (answers.length === 0) return;
    for (const stream of answers) stream.forget();
    this.#answers = this.#answers.filter((stream) => !answers.includes(stream));
  }

  #find(name: string): ResumableStream | undefined {
    return [...this.#answers, this.#listening].find((stream) => stream?.name === name);
  }

  #isOurs(name: string): boolean {
    return this.#tag !== "" && name.startsWith(this.#tag);
  }

  #make(kind: "p" | "g", request = ""): ResumableStream {
    this.#tag ||= randomBytes(4).toString("hex");
    const { sessionId, primes, logs, idSuffix } = this.#options;
    this.#logs ??= logs.ofSession(sessionId);
    const asked = request.length > MOST_ID ? "" : Buffer.from(request).toString("base64url");
    const name = `${this.#tag}${kind}${++this.#made}${idSuffix === undefined ? "" : `~${asked}${idSuffix}`}`;
    const log = this.#logs.open(name);
    // Calls of a session that has ended may still say something; nobody could ask for it again.
    if (this.#hasEnded) log.close();
    return new ResumableStream({ name, log, primes });
  }

  #open(response: ServerResponse): EventStream {
    return new EventStream(response, { "mcp-session-id": this.#options.sessionId });
  }
}

/** The name of the stream in an event id. It ends with the id suffix of the node that holds the stream. */
export function streamIn(eventId: string): string {
  return EVENT_ID.exec(eventId)?.[1] ?? "";
}
