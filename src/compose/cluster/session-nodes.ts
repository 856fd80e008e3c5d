/** Finds the node that holds a session, forwards requests to it, and takes over sessions of nodes that are gone. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Peer } from "../../cluster/peer.ts";
import type { Principal } from "../../core/call.ts";
import type { Exchange } from "../../doors/door.ts";
import { forwardCopy, forwardRequest } from "../../doors/http/forward-request.ts";
import type { HttpServer } from "../../doors/http/server.ts";
import type { Resume, SessionNode, SessionNodes, StoredSession } from "../../doors/mcp/session-nodes.ts";
import type { NodeOfCluster } from "../../nodes/node-of-cluster.ts";
import type { McpSessionRecord, McpSessionTable } from "../../store/store.ts";
import { resumeHere, resumeThere } from "./resumed-calls.ts";

interface SessionNodesSetup {
  readonly node: NodeOfCluster;
  readonly sessions: McpSessionTable;
  /** How long a session may be idle before it expires. */
  idleMs(): number;
  /** Reports failures that no caller waits for, or expects; returns the reference under which the log has them. */
  report(cause: unknown): string;
}

/** What a node sends along with a request that it forwards. */
interface ForwardedBy {
  /** The local user, who needs no key; any other caller is authenticated again by the key in the request. */
  readonly local?: Principal | undefined;
  /** The door whose suspended call a client has returned to, if this is not a request. */
  readonly resumes?: string | undefined;
}

/**
 * A stored session is deleted when it was not touched for the idle limit plus this margin: its node is gone, and so is its client.
 */
const EXPIRY_MARGIN_MS = 900_000;
/** How long the answer to a client waits for its session to be stored. */
const MOST_WAIT_MS = 1_000;

export class ClusterSessionNodes implements SessionNodes {
  readonly idSuffix: string;
  readonly #setup: SessionNodesSetup;
  readonly #resumes = new Map<string, Resume>();

  constructor(setup: SessionNodesSetup) {
    this.#setup = setup;
    this.idSuffix = setup.node.idSuffix;
  }

  /** Answers requests that other nodes forward as if the client had sent them to this node. */
  serve(server: HttpServer): void {
    const { node, report } = this.#setup;
    node.onConnection((tunnel, about) => {
      const { local, resumes } = about as ForwardedBy;
      const resume = this.#resumes.get(resumes ?? "");
      if (resume) resumeHere(tunnel, resume, report);
      else server.take(tunnel, local);
    });
  }

  resumeWith(door: string, resume: Resume): void {
    this.#resumes.set(door, resume);
  }

  issuerOf(id: string): SessionNode | undefined {
    const peer = this.#setup.node.issuerOf(id);
    return peer && this.#nodeAt(peer);
  }

  successor(): SessionNode | undefined {
    const { node } = this.#setup;
    const successor = node.isDraining ? node.others().find((other) => !node.drains(other)) : undefined;
    return successor && this.#nodeAt(successor);
  }

  async locate(
    id: string,
    isMeant: (session: StoredSession) => boolean,
  ): Promise<SessionNode | StoredSession | undefined> {
    const issuer = this.#setup.node.issuerOf(id);
    return issuer && this.#isStaying(issuer) ? this.#nodeAt(issuer) : await this.#takeOver(id, isMeant);
  }

  async store(session: StoredSession): Promise<void> {
    const { sessions, node, report } = this.#setup;
    const { door, scope, principalId, requests } = session;
    const record = { id: hashOf(session.id), door, scope, principalId, ...node.self, state: JSON.stringify(requests) };
    const isWritten = sessions.put(record, new Date().toISOString()).catch(report);
    // A database that does not answer must not delay the client: without the row, only the takeover of this session fails.
    await Promise.race([isWritten, sleep(MOST_WAIT_MS, undefined, { ref: false })]);
  }

  async delete(id: string): Promise<void> {
    const { sessions, node, report } = this.#setup;
    await sessions.delete(hashOf(id), node.self).catch(report);
  }

  touch(ids: readonly string[]): void {
    const { sessions, report } = this.#setup;
    const now = Date.now();
    if (ids.length > 0) sessions.touch(ids.map(hashOf), new Date(now).toISOString()).catch(report);
    sessions.deleteUnseen(new Date(now - this.#setup.idleMs() - EXPIRY_MARGIN_MS).toISOString()).catch(report);
  }

  /** For a session whose issuer is gone or drains: finds the node that has taken it over since, or takes it over. */
  async #takeOver(
    id: string,
    isMeant: (session: StoredSession) => boolean,
  ): Promise<SessionNode | StoredSession | undefined> {
    const { sessions, node } = this.#setup;
    const record = await sessions.get(hashOf(id));
    const session = record && toSession(id, record);
    if (!session || !isMeant(session)) return undefined;
    const holder = this.#holderOf(record);
    if (holder) return this.#nodeAt(holder);
    const successor = this.successor();
    if (successor) return successor;
    if (record.boot === node.self.boot || (await sessions.move(record.id, record, node.self))) return session;
    // Another node was quicker to take it over.
    const moved = await sessions.get(record.id);
    const newHolder = moved && this.#holderOf(moved);
    return newHolder && this.#nodeAt(newHolder);
  }

  #holderOf({ boot }: McpSessionRecord): Peer | undefined {
    return this.#setup.node.others().find((other) => other.boot === boot && this.#isStaying(other));
  }

  #isStaying(peer: Peer): boolean {
    return !this.#setup.node.drains(peer);
  }

  #nodeAt(peer: Peer): SessionNode {
    return {
      forward: async (exchange: Exchange, body?: string) => {
        const about: ForwardedBy = { local: localUserIn(exchange) };
        await forwardRequest(exchange, await this.#setup.node.connect(peer, about), peer.node, body);
      },
      forwardCopy: (exchange: Exchange, body: string) => {
        const about: ForwardedBy = { local: localUserIn(exchange) };
        this.#setup.node.connect(peer, about).then(
          (connection) => forwardCopy(exchange, connection, body),
          () => {},
        );
      },
      resume: async (door, ...back) => {
        const about: ForwardedBy = { resumes: door };
        return await resumeThere(await this.#setup.node.connect(peer, about), peer.node, ...back);
      },
    };
  }
}

function localUserIn({ caller }: Exchange): Principal | undefined {
  return caller.kind === "local" ? caller : undefined;
}

/** The database has only a hash of each session id, so that whoever can read the table cannot use the sessions. */
function hashOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}

function toSession(id: string, { door, scope, principalId, state }: McpSessionRecord): StoredSession {
  return { id, door, scope, principalId, requests: JSON.parse(state) as string[] };
}
