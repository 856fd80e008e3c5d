/**
 * An MCP server on stdio that behaves, towards the two eras, in the way its first argument names; see WAYS. It appends
 * every line that it reads to the file in its second argument, each with its pid before it.
 */
import { appendFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { answer2025, isKnown2025 } from "./stub-2025.ts";
import { type Fields, Stub2026, type StubMessage } from "./stub-2026.ts";

const [way = "handshake", file] = process.argv.slice(2);
const stub = new Stub2026();
stub.tools = [...stub.tools, { name: "badly marked", inputSchema: { type: "object", "x-mcp-header": "a b" } }];
const say = (message: Fields): boolean => process.stdout.write(`${JSON.stringify(message)}\n`);
const answer = (id: number | undefined, outcome: Fields): boolean => say({ jsonrpc: "2.0", id, ...outcome });

function handshake(message: StubMessage, isMute = false): void {
  const said = isMute && !isKnown2025(message.method) ? undefined : answer2025(message);
  if (said) say(said);
}

let isOld = false;
let question: StubMessage | undefined;

/** Each takes one message. */
const WAYS: Readonly<Record<string, (message: StubMessage) => void>> = {
  modern: (message) => stub.take(message, say),
  handshake: (message) => handshake(message),
  /** The first message that belongs to one era alone decides, as with the official library. */
  dual: (message) => {
    isOld ||= message.method === "initialize";
    if (isOld) handshake(message);
    else stub.take(message, say);
  },
  /** Ends when the first message is anything but `initialize`, as with one library. */
  exits: (message) => {
    if (!isOld && message.method !== "initialize") process.exit(1);
    isOld = true;
    handshake(message);
  },
  /** Refuses what comes before `initialize`, and ends. */
  offended: (message) => {
    isOld ||= message.method === "initialize";
    if (isOld) return handshake(message);
    answer(message.id, { error: { code: -32600, message: "expected initialize" } });
    process.stdout.end(() => process.exit(1));
  },
  /** Says nothing to what it does not know. */
  mute: (message) => handshake(message, true),
  /** Does not hear the first message. */
  deaf: (message) => {
    if (message.id !== 1) stub.take(message, say);
  },
  /** Is so slow to start that both greetings lie there, and answers both, the older one first. */
  late: (message) => {
    if (message.method === "server/discover") question = message;
    else handshake(message);
    if (message.method === "initialize" && question) stub.take(question, say);
  },
  /** Speaks a revision of years to come. */
  future: ({ id }) => {
    answer(id, { error: { code: -32022, message: "Unsupported", data: { supported: ["2099-01-01"] } } });
  },
  /** Answers the question with what is no answer to it. */
  nonsense: (message) => {
    if (message.method === "server/discover") answer(message.id, { result: "hello" });
    else handshake(message);
  },
  crashes: () => process.exit(3),
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (file !== undefined) appendFileSync(file, `${process.pid} ${line}\n`);
    WAYS[way]?.(JSON.parse(line));
  })
  .on("close", () => process.exit(0));
