/** One piece of work through all of its subjects. */
import { Generator } from "./load/generator.ts";
import type { Options } from "./options.ts";
import type { SubjectResult, WorkResult } from "./results.ts";
import { type Contender, enter, leave, runRounds, type Tools } from "./rounds.ts";
import { ratiosOf } from "./statistics.ts";
import { subjectNamed } from "./subjects.ts";
import type { Work } from "./work.ts";

/** With a load generator of its own: one that has read gigabytes of other answers is slower, and becomes the bottleneck. */
export async function compare(work: Work, given: Tools): Promise<WorkResult> {
  const tools: Tools = { ...given, generator: new Generator() };
  const wanted = work.subjects.filter((name, place) => place === 0 || isRunnable(name, tools.options));
  const contenders: Contender[] = [];
  const missing: SubjectResult[] = [];
  try {
    for (const name of wanted) {
      const entered = await enter(subjectNamed(name, tools.options.before), work, tools);
      if ("running" in entered) contenders.push(entered);
      else missing.push(entered);
    }
    await runRounds(work.name, contenders, tools);
  } finally {
    for (const { key, running } of contenders) await leave(key, running, tools.generator);
    tools.generator.end();
  }
  const { name, title, connections } = work;
  return {
    name,
    title,
    connections,
    base: wanted[0] ?? "",
    subjects: [...resultsOf(wanted[0], contenders), ...missing],
  };
}

/** Whether it was asked for. */
export function isRunnable(name: string, { subjects }: Options): boolean {
  return subjects?.includes(name) ?? true;
}

function resultsOf(base: string | undefined, contenders: readonly Contender[]): SubjectResult[] {
  const first = contenders.find(({ subject }) => subject.name === base)?.rounds.map(({ perSecond }) => perSecond) ?? [];
  return contenders.map(({ subject, rounds }) => {
    const ratio = ratiosOf(
      rounds.map(({ perSecond }) => perSecond),
      first,
    );
    return { name: subject.name, what: subject.what, rounds, ratio };
  });
}
