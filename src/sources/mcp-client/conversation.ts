/**
 * One conversation with an MCP server over any link, before and after its era is known: the peer with its ids is the same
 * for the question that finds the era and for all that follows.
 */
import type { ToolDefinition } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import { type PeerOptions, RpcPeer } from "../../protocol/json-rpc/peer.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { NoiseLimit } from "../noise-limit.ts";
import type { ConnectContext, Connection, SourceRequest } from "../source.ts";

/** What a source may send: wider than what a stranger may, since results are passed on and not looked into. */
const SOURCE_LIMITS: ScanLimits = { depth: 64, elements: 1_000_000 };

/** Our side of the conversation in the words of one era. */
export interface EraClient {
  readonly face: ServerFace | undefined;
  /** To be called once, when everything is ready; nothing else is asked of the server before it resolves. */
  begin(): Promise<void>;
  listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]>;
  request(request: SourceRequest): Promise<Payload>;
  notify?(method: string, params: Payload): void;
  /** What the server says outside of any answer. */
  onNotification(method: string, params: Payload): void;
  /** What the server asks outside of any answer; the signal takes the question back. */
  onRequest(method: string, params: Payload, signal: CancelSignal): Promise<Payload>;
  /** The link is gone, or going. */
  end(): void;
}

export class Conversation {
  readonly context: ConnectContext;
  readonly peer: RpcPeer;
  /** Undefined until the era is known. */
  client: EraClient | undefined;
  /** The revision to begin with, where one is configured. */
  revision: string | undefined;
  /** Says something in the log that somebody should know of this server. */
  readonly warn: (line: string) => void;
  /** Takes what is neither an answer nor a notification. */
  onNoise: (line: string) => void;

  constructor(context: ConnectContext, send: PeerOptions["send"]) {
    this.context = context;
    this.warn = (line) => context.emit({ type: "source-warning", source: context.name, line });
    const noise = new NoiseLimit(context);
    this.onNoise = (line) => noise.add(line);
    this.peer = new RpcPeer({
      name: context.name,
      limits: SOURCE_LIMITS,
      send,
      onRequest: (method, params, signal) => this.#asked(method, params, signal),
      onNotification: (method, params) => (this.client ?? context).onNotification(method, params),
      onNoise: (line) => this.onNoise(line),
      onDropped: this.warn,
    });
  }

  async #asked(method: string, params: Payload, signal: CancelSignal): Promise<Payload> {
    if (!this.client) throw new ZaguanError("UNKNOWN_METHOD", { params: { method } });
    return await this.client.onRequest(method, params, signal);
  }
}

/** A connection as the supervisor wants it; its end is the link's. */
export function connectionOf(client: EraClient, link: Pick<Connection, "closed" | "close">): Connection {
  return {
    listTools: (signal) => client.listTools(signal),
    request: (request) => client.request(request),
    ...(client.notify ? { notify: client.notify.bind(client) } : {}),
    get face() {
      return client.face;
    },
    closed: link.closed,
    close: () => {
      client.end();
      return link.close();
    },
  };
}
