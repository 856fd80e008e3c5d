/**
 * Which hubs a request has passed. Every outgoing request bears `Zaguan-Via: HOPS ID ID …`: how many hubs it has passed, the
 * random id of this process, and the ids of all hubs that are connected to us at this moment, since it may be on behalf of
 * any of them. A hub that finds its own id there refuses the request, so that hubs attached in a circle are refused where
 * the circle closes. The nodes of a cluster are one hub to all others, since any of them may do what one is asked: they bear
 * the cluster's id, too, and refuse a request that bears it. Programs that the hub starts get the same in the variable
 * `ZAGUAN_VIA`. A WebSocket and a program know what was true when they began.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { ZaguanError } from "../errors.ts";

export const HOP_HEADER = "zaguan-via";
export const HOP_VARIABLE = "ZAGUAN_VIA";

const MOST_HOPS = 5;
/** In one header, which must stay small; a circle that this does not show is ended by the number of hops. */
const MOST_IDS = 64;
const PARTS = /[A-Za-z0-9_-]+/g;
/** Of a hub, a place or a cluster; what does not have this form is nobody's, and is not said on. */
const ID = /^[hpc][A-Za-z0-9_-]{12}$/;
const HOPS = /^\d{1,4}$/;

interface Passed {
  readonly said: string;
  readonly hops: number;
  readonly ids: readonly string[];
}

export class HubChain {
  readonly #id = `h${randomBytes(9).toString("base64url")}`;
  /** What was said last on each connection that a hub holds to us; one connection carries one request at a time. */
  readonly #above = new Map<object, Passed>();
  #place: string | undefined;
  #cluster: string | undefined;
  #marker: string | undefined;

  /** What outgoing requests and started programs bear. */
  get marker(): string {
    this.#marker ??= this.#make();
    return this.#marker;
  }

  /** The refusal of a request that has been here before or has passed too many hubs. */
  refusal(said: string): ZaguanError | undefined {
    const { hops, ids } = read(said);
    if (hops <= MOST_HOPS && !ids.some((id) => id === this.#id || id === this.#cluster)) return undefined;
    return new ZaguanError("HUB_LOOP", { params: { hops, limit: MOST_HOPS } });
  }

  /** A hub that was let in: until its connection ends, our own requests may be on its behalf. */
  enter(connection: Duplex, said: string): void {
    const before = this.#above.get(connection);
    if (before?.said === said || connection.destroyed) return;
    this.#set(connection, read(said));
    if (!before) connection.once("close", () => this.#set(connection, undefined));
  }

  /**
   * Begins a hub on this configuration and data folder. False if one of the hubs that started this process, as told by
   * `ZAGUAN_VIA`, has the same: it would start this program again, and so on for ever.
   */
  begin(configFile: string, dataDir: string, said = ""): boolean {
    const place = idOf("p", `${configFile}\0${dataDir}`);
    const passed = read(said);
    if (said !== "" && (passed.hops > MOST_HOPS || passed.ids.includes(place))) return false;
    this.#place = place;
    this.#cluster = undefined;
    this.#set(this, said === "" ? undefined : passed);
    return true;
  }

  /** The hub that was begun is a node of a cluster. @param family a random token that all its nodes have, and nobody else */
  join(family: string): void {
    this.#cluster = idOf("c", family);
    this.#marker = undefined;
  }

  #set(connection: object, passed: Passed | undefined): void {
    if (passed) this.#above.set(connection, believed(passed));
    else this.#above.delete(connection);
    this.#marker = undefined;
  }

  #make(): string {
    const above = [...this.#above.values()];
    const hops = 1 + Math.max(0, ...above.map((one) => one.hops));
    const own = [this.#id, this.#place, this.#cluster].filter((id) => id !== undefined);
    const ids = new Set([...own, ...above.flatMap((one) => one.ids)]);
    return [hops, ...[...ids].slice(0, MOST_IDS)].join(" ");
  }
}

/** Tells nothing of what it is made of. */
function idOf(kind: "p" | "c", text: string): string {
  return `${kind}${createHash("sha256").update(text).digest("base64url").slice(0, 12)}`;
}

/** What cannot be read counts as nothing: whoever sends it is taken for a hub all the same. */
function read(said: string): Passed {
  const parts = said.match(PARTS) ?? [];
  const hops = Math.max(0, ...parts.filter((part) => HOPS.test(part)).map(Number));
  return { said, hops, ids: [...new Set(parts.filter((part) => ID.test(part)))] };
}

/**
 * What we say on. Each hub adds its id to all those above it, and none leaves out one as long as there are fewer than
 * `MOST_IDS`, which are more than `MOST_HOPS`: there are never more hops than ids, unless somebody made them up.
 */
function believed({ said, hops, ids }: Passed): Passed {
  return { said, hops: Math.min(hops, ids.length), ids: ids.slice(0, MOST_IDS) };
}

/** Of this process: all its sockets and programs are one hub's. */
export const hubChain: HubChain = new HubChain();
