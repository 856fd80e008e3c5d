/**
 * Malformed messages without end, the same again for the same seed: takes a good message and spoils it none to three
 * times, in its structure and in its bytes. It knows nothing of the product.
 */
import type { Random } from "./seed.ts";

/** A value that is written as this text, whatever it is. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Message = Record<string, unknown>;
type Structural = (random: Random, message: Message) => Message | unknown[] | Raw;
type Bytewise = (random: Random, bytes: Buffer) => Buffer;

/** Spoils the message; one in five stays as it is. */
export function mutate(random: Random, message: Message): Buffer {
  let value: Message | unknown[] | Raw = message;
  const rounds = random.pick([0, 1, 1, 2, 3]);
  const bytewise: Bytewise[] = [];
  for (let round = 0; round < rounds; round++) {
    if (random.chance(2)) bytewise.push(random.pick(BYTEWISE));
    else if (!Array.isArray(value) && !(value instanceof Raw)) value = random.pick(STRUCTURAL)(random, value);
  }
  return bytewise.reduce<Buffer>((bytes, spoil) => spoil(random, bytes), Buffer.from(write(value)));
}

/** Bytes that no client would send, for a bare connection. */
export function garbage(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.int(256)));
}

const ODD_IDS = [
  "0",
  "-0",
  '""',
  '"\\u0000"',
  "1.5",
  "1e400",
  "-1e-400",
  "9007199254740993",
  "123456789012345678901234567890",
  "null",
  "true",
  "{}",
  "[]",
  '{"a":1}',
  "[1,2]",
  '"\\ud800"',
  '"\u2028"',
  '"id \\" \\\\"',
  `"${"i".repeat(500)}"`,
].map((text) => new Raw(text));

const ODD_VALUES = [
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1e308",
  "1e999",
  "0.1e-7",
  '""',
  "[]",
  "{}",
  "[[]]",
  '{"":{}}',
  '"\\u0000"',
  '{"toString":1}',
  '{"constructor":{"prototype":{"x":1}}}',
  '"../../etc/passwd"',
  '"%s%n"',
  '"\\uffff"',
  '"😀"',
].map((text) => new Raw(text));

const STRUCTURAL: readonly Structural[] = [
  (random, message) => ({ ...message, id: random.pick(ODD_IDS) }),
  (random, message) => replaceSomewhere(random, message, () => random.pick(ODD_VALUES)),
  (random, message) => replaceSomewhere(random, message, () => nested(random)),
  (random, message) => replaceSomewhere(random, message, () => "g".repeat(random.chance(25) ? 1_200_000 : 20_000)),
  (random, message) =>
    replaceSomewhere(random, message, () => Array.from({ length: random.pick([9, 9_000, 20_000]) }, () => 0)),
  (random, message) => renamed(random, message),
  (random, message) =>
    withMember(random, message, random.pick(["__proto__", "constructor", "prototype", "\u0000", "ID"])),
  (random, message) => withMember(random, message, random.pick(Object.keys(message))),
  (random, message) => Object.fromEntries(Object.entries(message).filter(() => !random.chance(4))),
  (random, message) => Array.from({ length: random.pick([0, 1, 2, 30]) }, () => message),
  (random) => random.pick(ODD_VALUES),
];

const BYTEWISE: readonly Bytewise[] = [
  (random, bytes) => altered(bytes, random, (byte) => byte ^ (1 << random.int(8))),
  (random, bytes) => altered(bytes, random, () => random.int(256)),
  (random, bytes) => altered(bytes, random, () => random.int(32)),
  (random, bytes) => bytes.subarray(0, random.int(bytes.length + 1)),
  (random, bytes) => bytes.subarray(random.int(bytes.length + 1)),
  (random, bytes) => spliced(bytes, random, garbage(random, 1 + random.int(8))),
  (random, bytes) => spliced(bytes, random, random.pick(BROKEN_UTF8)),
  (random, bytes) =>
    spliced(bytes, random, Buffer.from(random.pick(["{", "}", "[", "]", ",", ":", '"', "\\", "\r", " "]))),
  (random, bytes) => spliced(bytes, random, bytes.subarray(0, random.int(bytes.length + 1)).subarray(0, 2_000)),
  (random, bytes) => Buffer.concat([Buffer.from(random.pick(["\ufeff", " \t", "\r", "\u00a0", "//c\r"])), bytes]),
];

const BROKEN_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 0x80, 0x80, 0x80]].map((bytes) =>
  Buffer.from(bytes),
);

function nested(random: Random): Raw {
  const depth = random.pick([10, 60, 63, 64, 65, 100, 1_000, 20_000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return new Raw(`${open.repeat(depth)}0${random.chance(3) ? "" : close.repeat(depth)}`);
}

/** Walks down at random and replaces what it stands on. */
function replaceSomewhere(random: Random, message: Message, make: () => unknown): Message {
  const keys = Object.keys(message);
  if (keys.length === 0) return message;
  const key = random.pick(keys);
  const below = message[key];
  const goOn = typeof below === "object" && below !== null && below.constructor === Object && !random.chance(3);
  return { ...message, [key]: goOn ? replaceSomewhere(random, below as Message, make) : make() };
}

function renamed(random: Random, message: Message): Message {
  const chosen = random.pick(Object.keys(message));
  const spell = random.pick([
    (key: string) => key.toUpperCase(),
    (key: string) => `${key} `,
    (key: string) => key.slice(1),
  ]);
  return Object.fromEntries(Object.entries(message).map(([key, value]) => [key === chosen ? spell(key) : key, value]));
}

/** One more member in front, even if the key is there already. */
function withMember(random: Random, message: Message, key: string): Raw {
  return new Raw(`{${JSON.stringify(key)}:${random.pick(ODD_VALUES).text},${write(message).slice(1)}`);
}

function altered(bytes: Buffer, random: Random, change: (byte: number) => number): Buffer {
  if (bytes.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  const at = random.int(copy.length);
  copy[at] = change(copy[at] as number);
  return copy;
}

function spliced(bytes: Buffer, random: Random, piece: Buffer): Buffer {
  const at = random.int(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + random.int(3))]);
}

/** JSON with raw pieces in it. */
function write(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`)
    .join(",")}}`;
}
