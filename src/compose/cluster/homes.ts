/** Which node holds what clients come back to, and how requests get there. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Peer } from "../../cluster/peer.ts";
import type { Principal } from "../../core/call.ts";
import type { Exchange } from "../../doors/door.ts";
import { carry, tell } from "../../doors/http/carry.ts";
import type { HttpServer } from "../../doors/http/server.ts";
import type { Home, Homes, KeptSession, Resume } from "../../doors/mcp/homes.ts";
import type { NodeOfCluster } from "../../nodes/node-of-cluster.ts";
import type { McpSessionRecord, McpSessionTable } from "../../store/store.ts";
import { resumeHere, resumeThere } from "./resumed-calls.ts";

interface HomesSetup {
  readonly node: NodeOfCluster;
  readonly sessions: McpSessionTable;
  /** How long a session lives that nobody uses. */
  idleMs(): number;
  /** Takes what nobody waits for, or expected; gives the reference by which the log knows it. */
  report(cause: unknown): string;
}

/** What a node tells another of a request that it hands on. */
interface Handed {
  /** Who has come without a key; everybody else is known by the key that stands in the request. */
  readonly local?: Principal | undefined;
  /** The door whose suspended call a client has come back for, where it is no request. */
  readonly resumes?: string | undefined;
}

/** A session that nobody touched for longer than it may be idle, and this, is gone with its node. */
const FORGET_MS = 900_000;
const MOST_WAIT_MS = 1_000;

export class NodeHomes implements Homes {
  readonly mark: string;
  readonly #setup: HomesSetup;
  readonly #resumes = new Map<string, Resume>();

  constructor(setup: HomesSetup) {
    this.#setup = setup;
    this.mark = setup.node.mark;
  }

  /** Requests that other nodes hand on are answered as if they had come here. */
  serve(server: HttpServer): void {
    const { node, report } = this.#setup;
    node.onConnection((tunnel, about) => {
      const { local, resumes } = about as Handed;
      const resume = this.#resumes.get(resumes ?? "");
      if (resume) resumeHere(tunnel, resume, report);
      else server.take(tunnel, local);
    });
  }

  resumeWith(door: string, resume: Resume): void {
    this.#resumes.set(door, resume);
  }

  of(id: string): Home | undefined {
    const peer = this.#setup.node.giverOf(id);
    return peer && this.#homeAt(peer);
  }

  heir(): Home | undefined {
    const { node } = this.#setup;
    const heir = node.isDraining ? node.others().find((other) => !node.drains(other)) : undefined;
    return heir && this.#homeAt(heir);
  }

  async locate(id: string, isMeant: (session: KeptSession) => boolean): Promise<Home | KeptSession | undefined> {
    const giver = this.#setup.node.giverOf(id);
    return giver && this.#stays(giver) ? this.#homeAt(giver) : await this.#take(id, isMeant);
  }

  async keep(session: KeptSession): Promise<void> {
    const { sessions, node, report } = this.#setup;
    const { door, scope, principalId, requests } = session;
    const record = { id: keyOf(session.id), door, scope, principalId, ...node.self, state: JSON.stringify(requests) };
    const isWritten = sessions.put(record, new Date().toISOString()).catch(report);
    // A database that does not answer holds nobody up.
    await Promise.race([isWritten, sleep(MOST_WAIT_MS, undefined, { ref: false })]);
  }

  async drop(id: string): Promise<void> {
    const { sessions, node, report } = this.#setup;
    await sessions.delete(keyOf(id), node.self).catch(report);
  }

  touch(ids: readonly string[]): void {
    const { sessions, report } = this.#setup;
    const now = Date.now();
    if (ids.length > 0) sessions.touch(ids.map(keyOf), new Date(now).toISOString()).catch(report);
    sessions.deleteUnseen(new Date(now - this.#setup.idleMs() - FORGET_MS).toISOString()).catch(report);
  }

  /** The node that gave the id is gone, or about to go: whoever has taken the session since has it, or we do. */
  async #take(id: string, isMeant: (session: KeptSession) => boolean): Promise<Home | KeptSession | undefined> {
    const { sessions, node } = this.#setup;
    const record = await sessions.get(keyOf(id));
    const session = record && keptOf(id, record);
    if (!session || !isMeant(session)) return undefined;
    const home = this.#holder(record);
    if (home) return this.#homeAt(home);
    const heir = this.heir();
    if (heir) return heir;
    if (record.boot === node.self.boot || (await sessions.move(record.id, record, node.self))) return session;
    const quicker = await sessions.get(record.id);
    const taker = quicker && this.#holder(quicker);
    return taker && this.#homeAt(taker);
  }

  #holder({ boot }: McpSessionRecord): Peer | undefined {
    return this.#setup.node.others().find((other) => other.boot === boot && this.#stays(other));
  }

  #stays(peer: Peer): boolean {
    return !this.#setup.node.drains(peer);
  }

  #homeAt(peer: Peer): Home {
    return {
      carry: async (exchange: Exchange, body?: string) => {
        const about: Handed = { local: localIn(exchange) };
        await carry(exchange, await this.#setup.node.connect(peer, about), peer.node, body);
      },
      tell: (exchange: Exchange, body: string) => {
        const about: Handed = { local: localIn(exchange) };
        this.#setup.node.connect(peer, about).then(
          (connection) => tell(exchange, connection, body),
          () => {},
        );
      },
      resume: async (door, ...back) => {
        const about: Handed = { resumes: door };
        return await resumeThere(await this.#setup.node.connect(peer, about), peer.node, ...back);
      },
    };
  }
}

function localIn({ principal }: Exchange): Principal | undefined {
  return principal.kind === "local" ? principal : undefined;
}

/** Whoever can read the table cannot use the sessions in it. */
function keyOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}

function keptOf(id: string, { door, scope, principalId, state }: McpSessionRecord): KeptSession {
  return { id, door, scope, principalId, requests: JSON.parse(state) as string[] };
}
