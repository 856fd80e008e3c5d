/**
 * The self-hosted relay between a tool side, which we are, and any number of robots, which call through it. It writes the
 * ids anew, drops whatever is no answer to a robot, and lets one tool side in for each agent: a newer one evicts the older.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { WebSocket } from "ws";
import type { Message } from "../line-rpc.ts";
import { until } from "../processes.ts";
import { Frames, type Kept, PATIENCE_MS } from "./frames.ts";
import { type Dial, Listening } from "./listening.ts";

export const EVICTED = { code: 1000, reason: "新连接替换" } as const;

interface ToolSide {
  readonly socket: WebSocket;
  readonly frames: Frames;
}

export class Relay {
  /** All that the tool sides said, that was dropped. */
  readonly dropped: Message[] = [];
  /** All that was passed on to a tool side, as it was passed on. */
  readonly passed: Message[] = [];
  /** Every tool side that ever was, in order. */
  readonly toolSides: ToolSide[] = [];
  readonly #tools = new Map<string, ToolSide>();
  readonly #robots = new Map<string, WebSocket>();
  #listening: Listening | undefined;

  /** @param tokens of the agents that it knows */
  static async start(...tokens: readonly string[]): Promise<Relay> {
    const relay = new Relay();
    const welcome = (socket: WebSocket, dial: Dial): void => {
      const token = dial.query.get("token") ?? "";
      if (!tokens.includes(token)) socket.close(1008, "Invalid token");
      else if (dial.path === "/mcp_endpoint/mcp/") relay.#enterTools(socket, token);
      else relay.#enterRobot(socket, token);
    };
    const refusal = ({ path }: Dial): number | undefined => (PATHS.includes(path) ? undefined : 404);
    relay.#listening = await Listening.start({ refusal, welcome });
    return relay;
  }

  get dials(): readonly Dial[] {
    return this.#server.dials.filter(({ path }) => path === TOOLS_PATH);
  }

  toolUrl(token: string): string {
    return `${this.#server.url}${TOOLS_PATH}?token=${encodeURIComponent(token)}`;
  }

  /** Whether a tool side is there for this agent. */
  isServed(token: string): boolean {
    return this.#tools.has(token);
  }

  async served(token: string): Promise<void> {
    await until("a tool side is there", () => this.isServed(token), PATIENCE_MS);
  }

  robot(token: string): Promise<Robot> {
    return Robot.open(this.toolUrl(token).replace("/mcp/", "/call/"));
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #enterTools(socket: WebSocket, token: string): void {
    this.#tools.get(token)?.socket.close(EVICTED.code, EVICTED.reason);
    const side = { socket, frames: new Frames(socket, ({ frame }) => this.#fromTools(frame)) };
    this.#tools.set(token, side);
    this.toolSides.push(side);
    void side.frames.closed.then(() => {
      if (this.#tools.get(token) === side) this.#tools.delete(token);
    });
  }

  #enterRobot(socket: WebSocket, token: string): void {
    const uuid = randomUUID();
    this.#robots.set(uuid, socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#robots.delete(uuid));
    socket.on("message", (data) => this.#fromRobot(JSON.parse(String(data)), uuid, token));
  }

  #fromRobot(message: Message, uuid: string, token: string): void {
    const side = this.#tools.get(token);
    if (!side) {
      const error = { code: -32001, message: "工具端未连接", data: { agent_id: token } };
      this.#robots.get(uuid)?.send(JSON.stringify({ jsonrpc: "2.0", id: message.id ?? null, error }));
      return;
    }
    const passed = message.id ? { ...message, id: rewritten(message.id, uuid) } : message;
    this.passed.push(passed);
    side.socket.send(JSON.stringify(passed));
  }

  #fromTools(message: Message): void {
    const [, uuid = "", kind, id = ""] = /^([^_]+)_([ns])_(.*)$/s.exec(String(message?.id ?? "")) ?? [];
    const robot = this.#robots.get(uuid);
    if (!robot) this.dropped.push(message);
    else robot.send(JSON.stringify({ ...message, id: kind === "n" ? Number(id) : id }));
  }

  get #server(): Listening {
    if (!this.#listening) throw new Error("the relay was not started");
    return this.#listening;
  }
}

/** The robot's side of the relay: whatever it asks reaches the tools, as long as there are any. */
export class Robot {
  readonly frames: Frames;
  readonly #socket: WebSocket;

  static async open(url: string): Promise<Robot> {
    const socket = new WebSocket(url);
    const robot = new Robot(socket);
    await once(socket, "open");
    return robot;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.frames = new Frames(socket);
  }

  /** Without waiting: the real one sends its greeting and its first list back to back. */
  send(message: object): void {
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  async ask(message: Message): Promise<Kept> {
    const from = this.frames.all.length;
    this.send(message);
    return this.frames.answer(message.id, from);
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
    await this.frames.closed;
  }
}

const TOOLS_PATH = "/mcp_endpoint/mcp/";
const PATHS = [TOOLS_PATH, "/mcp_endpoint/call/"];

function rewritten(id: unknown, uuid: string): string {
  return `${uuid}_${typeof id === "number" ? "n" : "s"}_${id}`;
}
