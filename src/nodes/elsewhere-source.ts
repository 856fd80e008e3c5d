/**
 * A source that another node holds, as this node's hub sees it. It has no queue, no life and no restarts of its own: all that is
 * at its owner, to whom every request is forwarded.
 */
import type { Caller, ToolDefinition } from "../core/call.ts";
import type { CancelSignal } from "../light-abort.ts";
import { EMPTY_OBJECT, type Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import type { Asker, Source, SourceKind, SourceRequest, SourceStatus } from "../sources/source.ts";
import { type Asked, decodeFace } from "./wire.ts";

interface ElsewhereSetup {
  forward(source: string, asked: Asked, request: SourceRequest): Promise<Payload>;
  /** Tells the owner, if there is one. */
  tell(source: string, what: ToOwnerOfSource): void;
  /** Who holds it, where that is known. */
  ownerOf(source: string): string | undefined;
  closed(source: ElsewhereSource): void;
}

/** What a client's node says to the owner of a source, and nobody answers. */
export type ToOwnerOfSource =
  | { readonly kind: "left"; readonly caller: Caller }
  | { readonly kind: "restart" }
  | { readonly kind: "said"; readonly method: string; readonly params: Payload; readonly caller: Caller | undefined };

type About = Pick<SourceKind<unknown>, "kind" | "trusted" | "isMcp" | "look">;

export class ElsewhereSource implements Source {
  readonly name: string;
  readonly kind: string;
  readonly trusted: boolean;
  readonly isMcp: boolean | undefined;
  readonly look: SourceKind<unknown>["look"];
  /** The queue is at the owner. */
  readonly concurrency: number = Number.POSITIVE_INFINITY;
  readonly isElsewhere = true;
  readonly #setup: ElsewhereSetup;
  #face: { readonly face: ServerFace | undefined } | undefined;
  #told: { readonly by: string; readonly status: SourceStatus } | undefined;

  constructor(name: string, { kind, trusted, isMcp, look }: About, setup: ElsewhereSetup) {
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

  /** What it said of itself may be another now. */
  forgetFace(): void {
    this.#face = undefined;
  }

  notify(method: string, params: Payload, caller?: Caller): void {
    this.#setup.tell(this.name, { kind: "said", method, params, caller });
  }

  left(caller: Caller): void {
    if (caller.canBeAsked) this.#setup.tell(this.name, { kind: "left", caller });
  }

  status(): SourceStatus {
    const owner = this.#setup.ownerOf(this.name);
    // On its way from one node to another, which is neither up nor down.
    const state = owner === undefined ? "starting" : "ready";
    return { state, restarts: 0, log: [], ...(owner !== undefined && { node: owner }) };
  }

  /** A node that held it before says nothing of it any more. */
  told(): SourceStatus | undefined {
    const owner = this.#setup.ownerOf(this.name);
    return this.#told?.by === owner ? this.#told?.status : undefined;
  }

  /** The node that holds it tells how it is. */
  tell(by: string, status: SourceStatus): void {
    this.#told = { by, status };
  }

  async restart(): Promise<void> {
    this.#setup.tell(this.name, { kind: "restart" });
  }

  async close(): Promise<void> {
    this.#setup.closed(this);
  }

  #forward(asked: Asked, { method, signal, principal, caller }: Asker): Promise<Payload> {
    const request = { method, name: method, args: EMPTY_OBJECT, language: "en", signal, principal, caller } as const;
    return this.#setup.forward(this.name, asked, request);
  }
}
