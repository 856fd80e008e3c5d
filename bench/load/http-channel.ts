/**
 * HTTP on bare sockets: one request at a time on each, kept alive, one write per request. Sessions outlive the
 * connections, since servers cut idle ones between the rounds.
 */
import { connect, type Socket } from "node:net";
import { type HttpAnswer, HttpAnswers, headerOf } from "./http-answers.ts";
import { INITIALIZE, INITIALIZED, VERSIONS } from "./messages.ts";
import type { Load, Target } from "./protocol.ts";
import type { Channel, Slot } from "./slot.ts";

type HttpTarget = Extract<Target, { kind: "http" }>;

const READ_BYTES = 65_536;

export async function openHttp(target: HttpTarget, { question, connections }: Load): Promise<Channel> {
  const url = new URL(target.url);
  const version = VERSIONS[question.era];
  const open = (session?: string): Promise<HttpSlot> => HttpSlot.connect(url, version, session);
  const count = question.era === "2025" ? Math.min(connections, target.sessions ?? connections) : 0;
  const sessions = await initializeAll(open, count);
  return {
    connect: () => Promise.all(Array.from({ length: connections }, (_, index) => open(sessions[index % count]))),
    close: () => endAll(open, sessions),
  };
}

/** A few at a time: some gateways start a process for each. */
export async function initializeAll(open: () => Promise<HttpSlot>, count: number): Promise<(string | undefined)[]> {
  const sessions: (string | undefined)[] = [];
  const worker = async (): Promise<void> => {
    const slot = await open();
    while (sessions.length < count) {
      const place = sessions.push(undefined) - 1;
      sessions[place] = await slot.initialize();
    }
    slot.close();
  };
  await Promise.all(Array.from({ length: Math.min(8, count) }, worker));
  return sessions;
}

async function endAll(open: (session?: string) => Promise<HttpSlot>, sessions: readonly (string | undefined)[]) {
  for (const session of sessions) {
    if (session === undefined) continue;
    const slot = await open(session);
    await slot.exchange("DELETE", "").catch(() => {});
    slot.close();
  }
}

export class HttpSlot implements Slot {
  onAnswer: (answer: string | Buffer) => void = () => {};
  onFailure: (reason: string) => void = () => {};
  readonly #socket: Socket;
  readonly #line: string;
  readonly #host: string;
  #fixed = "";
  #take: (answer: HttpAnswer) => void = (answer) => this.#answered(answer);

  static connect(url: URL, version: string | undefined, session: string | undefined): Promise<HttpSlot> {
    return new Promise((resolve, reject) => {
      const answers = new HttpAnswers((answer) => slot.#take(answer));
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const callback = (size: number): boolean => {
        answers.take(buffer.subarray(0, size));
        return true;
      };
      const { hostname: host, port } = url;
      const socket = connect({ host, port: Number(port), noDelay: true, onread: { buffer, callback } });
      const slot = new HttpSlot(socket, url, version, session);
      socket.once("connect", () => resolve(slot)).once("error", reject);
    });
  }

  private constructor(socket: Socket, { host, pathname }: URL, version: string | undefined, session?: string) {
    this.#socket = socket;
    this.#host = host;
    this.#line = ` ${pathname} HTTP/1.1\r\n`;
    this.#fix(version, session);
    socket.on("error", (error) => this.onFailure(error.message));
    socket.on("close", () => this.onFailure("the connection was closed"));
  }

  send(_id: number, message: string, headers: string): void {
    this.#write("POST", message, headers);
  }

  /** The id of the new session, if it got one. */
  async initialize(): Promise<string | undefined> {
    this.#fix(undefined, undefined);
    const { status, head, message } = await this.exchange("POST", INITIALIZE);
    if (status !== 200 || !message.includes('"result"')) throw new Error(`initialize: ${status} ${message}`);
    const session = headerOf(head, "mcp-session-id");
    this.#fix(VERSIONS["2025"], session);
    await this.exchange("POST", INITIALIZED);
    return session;
  }

  exchange(method: string, body: string): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.onFailure = (reason) => reject(new Error(reason));
      this.#take = (answer) => {
        this.#take = (next) => this.#answered(next);
        resolve(answer);
      };
      this.#write(method, body, "");
    });
  }

  close(): void {
    this.onFailure = () => {};
    this.#socket.destroy();
  }

  #fix(version: string | undefined, session: string | undefined): void {
    const accept = "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";
    const versioned = version ? `mcp-protocol-version: ${version}\r\n` : "";
    this.#fixed = `${this.#line}host: ${this.#host}\r\n${accept}${versioned}${session ? `mcp-session-id: ${session}\r\n` : ""}`;
  }

  #write(method: string, body: string, headers: string): void {
    this.#socket.write(`${method}${this.#fixed}${headers}content-length: ${body.length}\r\n\r\n${body}`, "latin1");
  }

  #answered({ status, message }: HttpAnswer): void {
    if (status === 200) this.onAnswer(message);
    else this.onFailure(`HTTP ${status}: ${message.toString("latin1").slice(0, 200)}`);
  }
}
