/**
 * The client behind one request of the stateless revisions, as that request introduces it. This one declared nothing that
 * it could be asked; `suspended-call.ts` has the one that can be.
 */
import type { Caller } from "../../../core/call.ts";
import { ZaguanError } from "../../../errors.ts";
import type { CancelSignal } from "../../../light-abort.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { type Member, memberOf } from "../../../protocol/json/scan.ts";
import { memberString, type RpcCall } from "../../../protocol/json-rpc/message.ts";
import { askable, capabilityFor, isAtLeast, isLogLevel } from "../../../protocol/mcp/client-capabilities.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL } from "../../../protocol/mcp/envelope.ts";

/** What a client says of itself with every request. */
interface Introduction extends Pick<Caller, "capabilities" | "info" | "logLevel" | "canBeAsked"> {}

export class StatelessCaller implements Caller {
  readonly comesAgain = true;
  readonly capabilities: Payload;
  readonly info: Payload | undefined;
  readonly logLevel: string | undefined;
  readonly canBeAsked: boolean;
  ownUris: Set<string> | undefined;
  readonly #principalId: string;
  /** Capabilities that the source wanted of the client and that it has not declared. */
  #missing: Set<string> | undefined;

  static of(call: RpcCall, principalId: string): StatelessCaller {
    return new StatelessCaller(introductionOf(call), principalId);
  }

  constructor({ capabilities, info, logLevel, canBeAsked }: Introduction, principalId: string) {
    this.capabilities = capabilities;
    this.info = info;
    this.logLevel = logLevel;
    this.canBeAsked = canBeAsked;
    this.#principalId = principalId;
  }

  /** Of all that a client without a session says of itself. */
  get identity(): string {
    return `${this.#principalId}\n${this.info?.text}\n${this.capabilities.text}`;
  }

  /** Who names no level hears nothing. */
  wantsLog(level: unknown): boolean {
    return this.logLevel !== undefined && isAtLeast(level, this.logLevel);
  }

  request(method: string, _params: Payload, _signal: CancelSignal): Promise<Payload> {
    const needed = capabilityFor(method);
    if (needed !== undefined) this.#missing = (this.#missing ?? new Set()).add(needed);
    const relayed = { code: -32601, message: `The client cannot be asked: ${method}` };
    const details = { params: { method }, relayed, delivery: "not_sent" } as const;
    return Promise.reject(new ZaguanError("UNKNOWN_METHOD", details));
  }

  /** A source that failed because it could not ask has told the client too little: it can declare more. */
  async outcomeOf(work: Promise<Payload>): Promise<Payload> {
    let result: Payload;
    try {
      result = await work;
    } catch (cause) {
      const isOwn = cause instanceof ZaguanError && cause.code === "SOURCE_ERROR";
      throw isOwn && this.#missing ? missingCapability(this.#missing) : cause;
    }
    if (this.#missing && isFailed(result)) throw missingCapability(this.#missing);
    return result;
  }
}

/** A client says the same with every request: it is read once. */
const introductions = new Map<string, Introduction>();
const MOST_KEPT = 256;
const LONGEST_KEPT = 4_096;

export function introductionOf(call: RpcCall): Introduction {
  const meta = memberOf(call.members, "_meta")?.members ?? [];
  const capabilities = textIn(call, memberOf(meta, CLIENT_CAPABILITIES)) ?? "{}";
  const info = textIn(call, memberOf(meta, CLIENT_INFO)) ?? "";
  const level = memberString(call.text, meta, LOG_LEVEL) ?? "";
  const key = `${capabilities}\n${info}\n${level}`;
  const known = introductions.get(key);
  if (known) return known;
  // Cut from the key: what is cut from the message would keep all of it in memory.
  const introduction = introductionIn(
    key.slice(0, capabilities.length),
    key.slice(capabilities.length + 1, capabilities.length + 1 + info.length),
    level,
  );
  if (introductions.size >= MOST_KEPT) introductions.clear();
  if (key.length <= LONGEST_KEPT) introductions.set(key, introduction);
  return introduction;
}

function introductionIn(capabilities: string, info: string, level: string): Introduction {
  const declared = Payload.ofText(capabilities);
  return {
    capabilities: declared,
    info: info === "" ? undefined : Payload.ofText(info),
    logLevel: isLogLevel(level) ? level : undefined,
    canBeAsked: askable(declared).length > 0,
  };
}

function textIn({ text }: RpcCall, member: Member | undefined): string | undefined {
  return member?.kind === "object" ? text.slice(member.start, member.end) : undefined;
}

function missingCapability(missing: ReadonlySet<string>): ZaguanError {
  const names = [...missing];
  const requiredCapabilities = Object.fromEntries(names.map((name) => [name, {}]));
  const params = { capability: names.join(", ") };
  return new ZaguanError("MISSING_CAPABILITY", { params, data: { requiredCapabilities } });
}

function isFailed(result: Payload): boolean {
  return (result.value as { isError?: unknown } | null)?.isError === true;
}
