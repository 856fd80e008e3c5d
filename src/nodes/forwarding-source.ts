/**
 * The stand-in for a source that another node holds. It forwards every request to the owner, which has the queue, the process and
 * the restarts.
 */
import type { Caller, ToolDefinition } from "../core/call.ts";
import type { CancelSignal } from "../light-abort.ts";
import { EMPTY_OBJECT, type Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import type { Asker, Source, SourceKind, SourceRequest, SourceStatus } from "../sources/source.ts";
import { decodeFace, type RequestKind } from "./wire.ts";

export interface ForwardingSetup {
  forward(source: string, kind: RequestKind, request: SourceRequest): Promise<Payload>;
  /** Sends a notice to the owner; it may be lost. */
  tellOwner(source: string, notice: NoticeToOwner): void;
  /** The name of the node that holds the source, if it is known. */
  ownerOf(source: string): string | undefined;
  /** Called when this stand-in is closed. */
  closed(source: ForwardingSource): void;
}

/** What a node tells the owner of a source on behalf of its clients; there is no answer. */
export type NoticeToOwner =
  | { readonly kind: "left"; readonly caller: Caller }
  | { readonly kind: "restart" }
  | { readonly kind: "said"; readonly method: string; readonly params: Payload; readonly caller: Caller | undefined };

type KindProperties = Pick<SourceKind<unknown>, "kind" | "trusted" | "isMcp" | "look">;

export class ForwardingSource implements Source {
  readonly name: string;
  readonly kind: string;
  readonly trusted: boolean;
  readonly isMcp: boolean | undefined;
  readonly look: SourceKind<unknown>["look"];
  /** Unlimited, because the queue is at the owner. */
  readonly concurrency: number = Number.POSITIVE_INFINITY;
  readonly isElsewhere = true;
  readonly #setup: ForwardingSetup;
  #face: { readonly face: ServerFace | undefined } | undefined;
  #reported: { readonly by: string; readonly status: SourceStatus } | undefined;

  constructor(name: string, { kind, trusted, isMcp, look }: KindProperties, setup: ForwardingSetup) {
    this.name = name;
    this.kind = kind;
    this.trusted = trusted;
    this.isMcp = isMcp;
    this.look = look;
    this.#setup = setup;
  }

  async listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    const listed = await this.#forward("tools", { method: "tools/list", signal });
    return listed.value as readonly ToolDefinition[];
  }

  request(request: SourceRequest): Promise<Payload> {
    return this.#setup.forward(this.name, "request", request);
  }

  async face(signal: CancelSignal, asker?: Asker): Promise<ServerFace | undefined> {
    const face = decodeFace(await this.#forward("face", { ...asker, method: "initialize", signal }));
    if (!asker?.caller?.canBeAsked) this.#face = { face };
    return face;
  }

  currentFace(): { readonly face?: ServerFace | undefined } | undefined {
    return this.#face;
  }

  /** Called when the source may describe itself differently now. */
  forgetFace(): void {
    this.#face = undefined;
  }

  notify(method: string, params: Payload, caller?: Caller): void {
    this.#setup.tellOwner(this.name, { kind: "said", method, params, caller });
  }

  left(caller: Caller): void {
    if (caller.canBeAsked) this.#setup.tellOwner(this.name, { kind: "left", caller });
  }

  status(): SourceStatus {
    const owner = this.#setup.ownerOf(this.name);
    // Without a known owner the source is moving from one node to another.
    const state = owner === undefined ? "starting" : "ready";
    return { state, restarts: 0, log: [], ...(owner !== undefined && { node: owner }) };
  }

  /** The status that the owner last reported; undefined if only a previous owner has reported one. */
  reportedStatus(): SourceStatus | undefined {
    const owner = this.#setup.ownerOf(this.name);
    return this.#reported?.by === owner ? this.#reported?.status : undefined;
  }

  statusReported(by: string, status: SourceStatus): void {
    this.#reported = { by, status };
  }

  async restart(): Promise<void> {
    this.#setup.tellOwner(this.name, { kind: "restart" });
  }

  async close(): Promise<void> {
    this.#setup.closed(this);
  }

  #forward(kind: RequestKind, { method, signal, principal, caller }: Asker): Promise<Payload> {
    const request = { method, name: method, args: EMPTY_OBJECT, language: "en", signal, principal, caller } as const;
    return this.#setup.forward(this.name, kind, request);
  }
}
