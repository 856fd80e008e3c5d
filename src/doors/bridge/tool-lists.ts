/**
 * Lists of tools as the bridge keeps them: one for each principal and language, until some list changes or it has become
 * too old for who asks.
 */
import type { Freshness, Principal } from "../../core/call.ts";
import type { Gateway, ListedTool } from "../../core/gateway.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { Statistics } from "../../observe/statistics.ts";
import { HTTP_PAGE_CHARS, toolPage } from "../mcp/tool-pages.ts";

interface KeptList {
  readonly tools: readonly ListedTool[];
  readonly cached: boolean;
  /** Until when the same request gets this list; milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Told how often a list was at hand, and how many had to make room for others. */
type CacheStatistics = Pick<Statistics, "cacheHit" | "cacheMiss" | "evicted">;

interface Entry {
  readonly tools: readonly ListedTool[];
  readonly storedAt: number;
  readonly chars: number;
}

const LIFE_SECONDS = 600;
const MOST_ENTRIES = 1_000;
/** Characters of all kept lists; a text that lists share is counted for each. */
const MOST_CHARS = 33_554_432;

export class ToolLists {
  readonly #gateway: Gateway;
  readonly #statistics: CacheStatistics;
  readonly #kept = new Map<string, Entry>();
  readonly #stopHearing: () => void;
  #chars = 0;
  /** A list that was asked for before a change is not kept after it. */
  #changes = 0;

  constructor(gateway: Gateway, statistics: CacheStatistics) {
    this.#gateway = gateway;
    this.#statistics = statistics;
    this.#stopHearing = gateway.onToolsChanged(() => this.#forgetAll());
  }

  async list(principal: Principal, language: Language, freshness: Freshness | undefined): Promise<KeptList> {
    const key = `${language}\n${principal.id}`;
    const lifeMs = Math.min(freshness?.maxAgeSeconds ?? LIFE_SECONDS, LIFE_SECONDS) * 1_000;
    const kept = this.#kept.get(key);
    if (kept && Date.now() < kept.storedAt + lifeMs) {
      this.#statistics.cacheHit();
      return { tools: kept.tools, cached: true, expiresAt: kept.storedAt + lifeMs };
    }
    this.#statistics.cacheMiss();
    return this.#listAnew(key, principal, language, lifeMs);
  }

  close(): void {
    this.#stopHearing();
    this.#forgetAll();
  }

  async #listAnew(key: string, principal: Principal, language: Language, lifeMs: number): Promise<KeptList> {
    const changes = this.#changes;
    const tools = await this.#gateway.listTools(principal, language);
    const storedAt = Date.now();
    if (changes === this.#changes) this.#keep(key, tools, storedAt);
    return { tools, cached: false, expiresAt: storedAt + lifeMs };
  }

  #keep(key: string, tools: readonly ListedTool[], storedAt: number): void {
    this.#forget(key);
    const chars = toolPage(tools, undefined, HTTP_PAGE_CHARS).text.length;
    this.#kept.set(key, { tools, storedAt, chars });
    this.#chars += chars;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_ENTRIES && this.#chars <= MOST_CHARS) break;
      this.#forget(oldest);
      this.#statistics.evicted(1);
    }
  }

  #forget(key: string): void {
    this.#chars -= this.#kept.get(key)?.chars ?? 0;
    this.#kept.delete(key);
  }

  #forgetAll(): void {
    this.#changes++;
    this.#kept.clear();
    this.#chars = 0;
  }
}
