/**
 * Spoilt frames for a device's socket, each with what it deserves: hellos, envelopes, bare messages, answers to questions
 * that nobody asked, batches and envelopes in envelopes, speech, sound. Decided by JSON.parse and the documents alone.
 */
import { RPC_CORPUS } from "./fuzz-corpus.ts";
import { garbage, mutate } from "./mutator.ts";
import { type Reading, readRpc } from "./readings.ts";
import type { Random } from "./seed.ts";

type Message = Record<string, unknown>;

export interface DeviceFrame {
  readonly bytes: Buffer;
  readonly isBinary: boolean;
  /** Fewest and most answers. */
  readonly answers: readonly [number, number];
  /** Of an answer that must come: its id and its form. */
  readonly key?: string | undefined;
  readonly form: "bare" | "envelope" | "any";
}

const HELLO = { type: "hello", version: 1, features: { mcp: true }, transport: "websocket" };
const AUDIO = { format: "opus", sample_rate: 16_000, channels: 1, frame_duration: 60 };
const HUGE_IDS = [9_007_199_254_740_991, 1e300, -1, "9".repeat(100_000), { deep: [[[]]] }, [], true];

const answer = (id: unknown): Message => ({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "x" }] } });
const page = (id: unknown): Message => ({ jsonrpc: "2.0", id, result: { tools: [{ name: "x" }], nextCursor: "x" } });
const envelope = (payload: unknown): Message => ({ session_id: "", type: "mcp", payload });

/** What is said inside an envelope, or bare. */
const MESSAGES: readonly ((n: number) => Message)[] = [
  ...RPC_CORPUS,
  (n) => answer(n % 10),
  (n) => page(n % 10),
  (n) => answer(HUGE_IDS[n % HUGE_IDS.length]),
  (n) => ({ jsonrpc: "2.0", id: n % 10, error: { message: "Unknown tool: x" } }),
  () => ({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }),
  (n) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: n % 10, progress: n } }),
  (n) => ({ jsonrpc: "2.0", id: n, method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }),
];

const FRAMES: readonly ((n: number) => Message)[] = [
  () => HELLO,
  () => ({ ...HELLO, audio_params: AUDIO, features: { mcp: true, aec: true } }),
  () => ({ type: "hello", features: null, audio_params: [AUDIO] }),
  (n) => envelope([answer(n), RPC_CORPUS[n % RPC_CORPUS.length]?.(n)]),
  (n) => envelope(envelope(RPC_CORPUS[n % RPC_CORPUS.length]?.(n))),
  (n) => envelope(answer(n)),
  (n) => ({ ...envelope({ jsonrpc: "2.0", id: n, method: "ping" }), jsonrpc: "2.0", id: n, method: "ping" }),
  () => envelope({}),
  () => ({ type: "listen", state: "detect", text: "你好小智" }),
  () => ({ type: "iot", states: [{ name: "speaker", state: { volume: 70 } }] }),
  () => ({ type: "abort", reason: "wake_word_detected" }),
];

const LOOSE = { answers: [0, 1], form: "any", isBinary: false } as const;
const SILENCE = { answers: [0, 0], form: "any" } as const;

/** @param isDevice whether it said that it is one: then what is no request is an answer, right or wrong, and is not answered */
export function deviceFrame(random: Random, n: number, isDevice: boolean): DeviceFrame {
  if (random.chance(12)) return { ...SILENCE, bytes: sound(random, n), isBinary: true };
  if (random.chance(4)) return { ...LOOSE, bytes: mutate(random, random.pick(FRAMES)(n)) };
  const message = mutate(random, random.pick(MESSAGES)(n));
  if (random.chance(4)) return { bytes: message, isBinary: false, ...bare(message, isDevice) };
  const bytes = Buffer.concat([Buffer.from('{"session_id":"s","type":"mcp","payload":'), message, Buffer.from("}")]);
  return { bytes, isBinary: false, ...inEnvelope(message, isDevice) };
}

export function rightAnswer(id: unknown, result: unknown): Buffer {
  return text(envelope({ jsonrpc: "2.0", id, result }));
}

/** A right answer to a question of the hub, or what a broken device says in its place; undefined for silence. */
export function deviceAnswer(random: Random, id: unknown, result: unknown): Buffer | undefined {
  const right = { jsonrpc: "2.0", id, result };
  if (random.chance(2)) return rightAnswer(id, result);
  return random.pick([
    () => undefined,
    () => text(right),
    () => mutate(random, envelope(right)),
    () => mutate(random, right),
    () => text(envelope({ ...right, id: random.pick(HUGE_IDS) })),
    () => text(envelope({ ...right, id: Number(id) + random.pick([-1, 1, 1_000]) })),
    () => text(envelope([right, right])),
    () => text(envelope(envelope(right))),
    () => text(envelope({ jsonrpc: "2.0", id, error: { message: "no" } })),
    () => text(envelope({ jsonrpc: "2.0", id })),
  ])();
}

/** A batch is answered in the form of what came last. */
function bare(message: Buffer, isDevice: boolean): Pick<DeviceFrame, "answers" | "key" | "form"> {
  const isBatch = String(message).trimStart().startsWith("[");
  return { ...deserts(message, isDevice), form: isBatch ? "any" : "bare" };
}

function inEnvelope(message: Buffer, isDevice: boolean): Pick<DeviceFrame, "answers" | "key" | "form"> {
  if (!isWithinLimits(message)) return LOOSE;
  const payload = JSON.parse(String(message)) as unknown;
  const isMessage = typeof payload === "object" && payload !== null && !Array.isArray(payload);
  if (!isMessage || Object.keys(payload).length === 0) return SILENCE;
  return { ...deserts(message, isDevice), form: "envelope" };
}

/** Is it JSON, and small enough? One level and a few members go to the envelope. */
function isWithinLimits(message: Buffer): boolean {
  const inside = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"m","params":'),
    message,
    Buffer.from("}"),
  ]);
  return readRpc(inside).own[0] === 1;
}

function deserts(message: Buffer, isDevice: boolean): Pick<DeviceFrame, "answers" | "key"> {
  const { key, all }: Reading = readRpc(message);
  const isForTheHub = !isDevice || /^(?!.*notifications\/).*"method"/s.test(String(message));
  return isForTheHub ? { key, answers: all } : { answers: [0, 1] };
}

function sound(random: Random, n: number): Buffer {
  return random.chance(3)
    ? text(envelope({ jsonrpc: "2.0", id: n, method: "ping" }))
    : garbage(random, random.int(300));
}

function text(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
