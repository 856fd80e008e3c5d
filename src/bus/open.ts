/**
 * Opens what nodes of our cluster sealed for us, and refuses everything else. Cheap checks come first, and keys for senders
 * that were never heard are derived only so often in a second: somebody without the secret can make us do little.
 */
import { createDecipheriv, type KeyObject } from "node:crypto";
import type { Sender } from "./bus.ts";
import type { ClusterSecret } from "./cluster-secret.ts";
import { associatedData, type Header, nonceOf, readHeader, TAG_BYTES } from "./envelope.ts";
import { ReplayWindow } from "./replay-window.ts";

/**
 * `malformed`: nothing that we ever wrote. `otherKey`: sealed with a secret that we do not have. `otherLife`: for an earlier
 * process of our name. `clock`: from a time too far from ours, or from before we started. `reflected`: our own. `replayed`: came
 * before. `flooded`: from a sender never heard, while too many such came. `forged`: does not open, that is, it was made or
 * changed by somebody without the secret, or moved from another subject. `twin`: another process has our name.
 */
export const REFUSALS = [
  "malformed",
  "otherKey",
  "otherLife",
  "clock",
  "reflected",
  "replayed",
  "flooded",
  "forged",
  "twin",
] as const;
export type Refusal = (typeof REFUSALS)[number];

interface Opened {
  readonly from: Sender;
  readonly content: Buffer;
}

/** How far the clocks of two nodes may be apart, in milliseconds. A message is refused once it is that old. */
const MOST_SKEW_MS = 30_000;
/**
 * A process that has just started remembers no counters, so what was sealed before is refused even if it is not that old. The
 * milliseconds are for clocks that are a little apart.
 */
const BEFORE_START_MS = 2_000;
/** Twenty times as long as a message may be old: the clock may be set back by the rest without a message being taken twice. */
const REMEMBERED_MS: number = 20 * MOST_SKEW_MS;
/** How many keys are derived in a second for senders that were not heard before; each takes about ten microseconds. */
const STRANGERS_PER_SECOND = 500;

interface Known {
  readonly sender: Sender;
  readonly key: KeyObject;
  readonly window: ReplayWindow;
  /** The latest time that one of its messages bore. */
  latest: number;
}

interface OpenerOptions {
  readonly secrets: readonly ClusterSecret[];
  readonly prefix: string;
  readonly us: Sender;
  /** Told of another process with our name. */
  readonly onTwin: (boot: string) => void;
  readonly clock?: Clock;
}

/** In milliseconds. How long we run is not taken from the time of day, which may be set right after the start. */
interface Clock {
  timeOfDay(): number;
  uptime(): number;
}

const SYSTEM: Clock = { timeOfDay: Date.now, uptime: () => performance.now() };

export class Opener {
  readonly #options: OpenerOptions;
  readonly #clock: Clock;
  readonly #secrets: ReadonlyMap<number, ClusterSecret>;
  readonly #startedAt: number;
  readonly #known = new Map<string, Known>();
  #second = 0;
  #strangers = 0;

  constructor(options: OpenerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM;
    this.#startedAt = this.#clock.uptime();
    this.#secrets = new Map(options.secrets.map((secret) => [secret.idIn(options.prefix), secret]));
  }

  /** How many lives of nodes are remembered. */
  get known(): number {
    return this.#known.size;
  }

  open(bytes: Uint8Array, subject: string): Opened | Refusal {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const found = readHeader(whole);
    if (!found) return "malformed";
    const { header, end } = found;
    const sender = this.#refusalOf(header) ?? this.#senderOf(header);
    if (typeof sender === "string") return sender;
    if (sender.window.has(header.counter)) return "replayed";
    const content = decrypt(sender.key, subject, header, whole, end);
    return content ? this.#accept(sender, header, content) : "forged";
  }

  #accept(known: Known, header: Header, content: Buffer): Opened | Refusal {
    this.#remember(known, header);
    if (header.node !== this.#options.us.node) return { from: known.sender, content };
    // What a process of our name sealed before we started is no sign that it still runs.
    if (this.#ageOf(header) <= this.#uptime()) this.#options.onTwin(header.boot);
    return "twin";
  }

  /** What can be said without any key. */
  #refusalOf(header: Header): Refusal | undefined {
    const { us } = this.#options;
    const { node, boot, receiverBoot } = header;
    const age = this.#ageOf(header);
    if (!this.#secrets.has(header.keyId)) return "otherKey";
    if (node === us.node && boot === us.boot) return "reflected";
    if (receiverBoot !== "" && receiverBoot !== us.boot) return "otherLife";
    if (Math.abs(age) > MOST_SKEW_MS || age > this.#uptime() + BEFORE_START_MS) return "clock";
    return undefined;
  }

  #ageOf({ time }: Header): number {
    return this.#clock.timeOfDay() - time;
  }

  #uptime(): number {
    return this.#clock.uptime() - this.#startedAt;
  }

  #senderOf(header: Header): Known | Refusal {
    return this.#known.get(nameOf(header)) ?? (this.#mayDerive() ? this.#derive(header) : "flooded");
  }

  /** Remembered only once a message of it was opened. */
  #derive({ keyId, node, boot }: Header): Known {
    const { prefix } = this.#options;
    const key = (this.#secrets.get(keyId) as ClusterSecret).keyOf(prefix, node, boot);
    return { sender: { node, boot }, key, window: new ReplayWindow(), latest: 0 };
  }

  #mayDerive(): boolean {
    const second = Math.floor(this.#clock.uptime() / 1_000);
    if (second !== this.#second) this.#strangers = 0;
    this.#second = second;
    return ++this.#strangers <= STRANGERS_PER_SECOND;
  }

  #remember(known: Known, header: Header): void {
    known.window.add(header.counter);
    known.latest = Math.max(known.latest, header.time);
    const name = nameOf(header);
    if (this.#known.has(name)) return;
    this.#forget();
    this.#known.set(name, known);
  }

  /** Forgets those of whom every message that was taken is by now refused for its age, so that none is taken twice. */
  #forget(): void {
    const oldest = this.#clock.timeOfDay() - REMEMBERED_MS;
    for (const [name, { latest }] of this.#known) if (latest < oldest) this.#known.delete(name);
  }
}

function nameOf({ keyId, node, boot }: Header): string {
  return `${boot} ${keyId} ${node}`;
}

/** Undefined if the tag does not fit. */
function decrypt(key: KeyObject, subject: string, { counter }: Header, whole: Buffer, end: number): Buffer | undefined {
  const tagAt = whole.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(counter), { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(subject, whole.subarray(0, end))).setAuthTag(whole.subarray(tagAt));
  const content = decipher.update(whole.subarray(end, tagAt));
  try {
    decipher.final();
    return content;
  } catch {
    return undefined;
  }
}
