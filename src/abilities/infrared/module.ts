/** What the infrared module is asked for: to send a code, to learn one, to show that it is there. */
import { LightAbort } from "../../light-abort.ts";
import { InfraredFailure } from "./failure.ts";
import { AFN, type Frame, hexOf } from "./frame.ts";
import type { ModuleLine } from "./module-port.ts";

/** As long as the Python original waits. */
const REPLY_MS = 2000;
const KEY_MS = 30_000;
const LEARNING_MS = 35_000;
/** For the answer to "exit learning", so that the next conversation does not take it for its own. */
const EXIT_MS = 300;

const TAKEN = 0;

/** The module's answer as text; undefined if it did not answer, as some do not. */
export async function sendCode(line: ModuleLine, code: Uint8Array): Promise<string | undefined> {
  await line.say(AFN.external, code);
  const answer = await answerOf(line, AFN.ack);
  if (!answer && line.heard === "") return undefined;
  if (!answer) throw new InfraredFailure("infrared.badReply", { hex: line.heard });
  if (answer.data[0] !== TAKEN) throw new InfraredFailure("infrared.refused", { hex: hexOf(answer.bytes) });
  return hexOf(answer.bytes);
}

/** Whether it answers a question that changes nothing. */
export async function isThere(line: ModuleLine): Promise<boolean> {
  await line.say(AFN.getBaud);
  return (await answerOf(line, AFN.getBaud)) !== undefined;
}

/** A module that has not reported a code goes on learning, and answers nothing else: it is told to stop, whatever happened. */
export async function learnCode(line: ModuleLine): Promise<Buffer> {
  try {
    return await learn(line);
  } catch (error) {
    await exitLearning(line).catch(() => {});
    throw error;
  }
}

async function learn(line: ModuleLine): Promise<Buffer> {
  const { clock } = line;
  await line.say(AFN.enterLearning);
  const end = clock.now() + LEARNING_MS;
  let begun = false;
  for (let patience = REPLY_MS; ; patience = KEY_MS) {
    const frame = await line.next(Math.min(end, clock.now() + patience));
    if (frame?.afn === AFN.external) return codeIn(frame);
    if (frame?.intact && frame.afn === AFN.ack) begun = isTaken(frame);
    // Who has said anything at all may still report a code: its first answer may have been spoilt on the way.
    if (!frame && (patience === KEY_MS || line.heard === "")) throw nothingLearned(line, begun);
  }
}

function codeIn(frame: Frame): Buffer {
  if (!frame.intact) throw new InfraredFailure("infrared.noValidReply", { hex: hexOf(frame.bytes) });
  if (frame.data.length === 0) throw new InfraredFailure("infrared.emptyCode");
  return frame.data;
}

function isTaken(ack: Frame): true {
  const [status = 0] = ack.data;
  if (status !== TAKEN) throw new InfraredFailure("infrared.learningRefused", { status });
  return true;
}

function nothingLearned(line: ModuleLine, begun: boolean): InfraredFailure {
  if (begun) return new InfraredFailure("infrared.nothingLearned");
  return line.heard === ""
    ? new InfraredFailure("infrared.noReply")
    : new InfraredFailure("infrared.noValidReply", { hex: line.heard });
}

async function exitLearning(line: ModuleLine): Promise<void> {
  const last = line.whateverHappens(new LightAbort());
  await last.say(AFN.exitLearning);
  await answerOf(last, AFN.ack, EXIT_MS);
}

async function answerOf(line: ModuleLine, afn: number, withinMs: number = REPLY_MS): Promise<Frame | undefined> {
  const until = line.clock.now() + withinMs;
  for (;;) {
    const frame = await line.next(until);
    if (!frame || (frame.intact && frame.afn === afn)) return frame;
  }
}
