/**
 * Rounds of load over several subjects. All of them run during all rounds, and in each round they take short turns, each time
 * beginning with another one, so that whatever disturbs the machine disturbs everybody.
 */
import type { Generator } from "./load/generator.ts";
import type { Stretch } from "./load/protocol.ts";
import type { Options } from "./options.ts";
import { processorTime } from "./processes.ts";
import { type Round, roundOf, type SubjectResult } from "./results.ts";
import type { Running, Subject } from "./subjects/subject.ts";
import { questionOf, type Work } from "./work.ts";

export interface Contender {
  readonly key: string;
  readonly subject: Subject;
  readonly running: Running;
  readonly rounds: Round[];
}

export interface Tools {
  readonly generator: Generator;
  readonly options: Options;
  /** What is being done, for whoever watches. */
  progress(text: string): void;
}

/** Starts it and warms it up; or says why it cannot take part. */
export async function enter(subject: Subject, given: Work, tools: Tools): Promise<Contender | SubjectResult> {
  const { generator, options, progress } = tools;
  const { name, what, era = given.era } = subject;
  const work = { ...given, era };
  const key = `${work.name} ${name}`;
  progress(`${work.name}: starting ${name}`);
  let running: Running | undefined;
  try {
    running = await subject.start(work);
    await running.ready?.();
    await generator.open(key, { target: running.target, question: questionOf(work), connections: work.connections });
    const { errors, reasons } = await generator.run(key, options.warmSeconds);
    if (errors > 0) throw new Error(reasons[0]);
    return { key, subject, running, rounds: [] };
  } catch (error) {
    if (running) await leave(key, running, generator);
    const missing = inOneLine((error as Error).message);
    return { name, what, rounds: [], missing, ...(subject.ours ? { failed: true } : {}) };
  }
}

export async function leave(key: string, running: Running, generator: Generator): Promise<void> {
  await generator.close(key).catch(() => {});
  await running.stop();
}

export async function runRounds(what: string, contenders: readonly Contender[], tools: Tools): Promise<void> {
  const { generator, options, progress } = tools;
  for (let round = 0; round < options.rounds; round++) {
    const turns = contenders.map((): Turn[] => []);
    for (let count = 0; count < TURNS * contenders.length; count++) {
      const place = (round + count + Math.floor(count / contenders.length)) % contenders.length;
      const contender = contenders[place] as Contender;
      progress(`${what}: round ${round + 1}/${options.rounds}, ${contender.subject.name}`);
      turns[place]?.push(await takeTurn(contender, generator, options.seconds / TURNS));
    }
    for (const [place, { rounds }] of contenders.entries()) rounds.push(together(turns[place] ?? []));
  }
}

/** Of each subject in a round. */
const TURNS = 5;

interface Turn {
  readonly stretch: Stretch;
  /** The subject's own processor time in milliseconds. */
  readonly used: number;
}

async function takeTurn({ key, running }: Contender, generator: Generator, seconds: number): Promise<Turn> {
  const before = running.pid === undefined ? Number.NaN : processorTime(running.pid);
  const stretch = await generator.run(key, seconds);
  return { stretch, used: running.pid === undefined ? Number.NaN : processorTime(running.pid) - before };
}

function together(turns: readonly Turn[]): Round {
  return roundOf(
    turns.map(({ stretch }) => stretch),
    turns.reduce((sum, { used }) => sum + used, 0),
  );
}

function inOneLine(said: string): string {
  return said
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .slice(0, 100)
    .trim();
}
