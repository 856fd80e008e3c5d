/** What can be said on the command line. */
import { parseArgs } from "node:util";
import { SUBJECTS } from "./subjects.ts";
import { QUICK, WORK } from "./work.ts";

export interface Options {
  readonly mode: "compare" | "curve" | "soak";
  readonly rounds: number;
  /** Of one stretch of load. */
  readonly seconds: number;
  /** Before the first round, uncounted: just-in-time compilation takes its time. */
  readonly warmSeconds: number;
  readonly works: readonly string[];
  /** Everybody, unless some are named. */
  readonly subjects: readonly string[] | undefined;
  readonly quick: boolean;
  readonly strict: boolean;
  readonly soakMinutes: number;
  /** The folder of another checkout, to be compared with this one alone. */
  readonly before: string | undefined;
}

/** Measured in a way of their own. */
export const SPECIAL: readonly string[] = ["start", "sessions"];

const HELP = `npm run bench -- [options]

  --quick            a look in passing: some of the work, two short rounds, few subjects
  --only NAMES       of the work: ${[...WORK.map(({ name }) => name), ...SPECIAL].join(", ")}
  --subjects NAMES   of the subjects: ${SUBJECTS.map(({ name }) => name).join(", ")}
  --rounds N         5 unless said otherwise
  --seconds S        of each stretch of load, 2 unless said otherwise
  --before FOLDER    against Zaguan of another checkout, and nobody else
  --curve            how Zaguan's cost grows with connections, sources, tools and sessions
  --soak MINUTES     memory under mixed load
  --strict           a missed target counts as a failure, not wrong answers alone
`;

/** Undefined if it only asked for help. */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({ args: [...args], options: KNOWN });
  if (values.help) {
    process.stdout.write(HELP);
    return undefined;
  }
  const quick = values.quick ?? false;
  const seconds = number(values.seconds, quick ? 0.3 : 2);
  return {
    mode: values.curve ? "curve" : values.soak ? "soak" : "compare",
    rounds: number(values.rounds, quick ? 2 : 5),
    seconds,
    warmSeconds: quick ? seconds : Math.max(2, seconds),
    works: worksOf(values.only, quick),
    subjects:
      names(
        values.subjects,
        SUBJECTS.map(({ name }) => name),
      ) ?? (quick ? QUICK.subjects : undefined),
    quick,
    strict: values.strict ?? false,
    soakMinutes: number(values.soak, 10),
    before: values.before,
  };
}

const KNOWN = {
  quick: { type: "boolean" },
  only: { type: "string" },
  subjects: { type: "string" },
  rounds: { type: "string" },
  seconds: { type: "string" },
  curve: { type: "boolean" },
  soak: { type: "string" },
  before: { type: "string" },
  strict: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

function worksOf(only: string | undefined, quick: boolean): readonly string[] {
  const all = [...WORK.map(({ name }) => name), ...SPECIAL];
  return names(only, all) ?? (quick ? [...QUICK.works, ...SPECIAL] : all);
}

function names(said: string | undefined, known: readonly string[]): readonly string[] | undefined {
  const wanted = said?.split(",").map((name) => name.trim());
  const unknown = wanted?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${known.join(", ")}`);
  return wanted;
}

function number(said: string | undefined, usual: number): number {
  const value = said === undefined ? usual : Number(said);
  if (!(value > 0)) throw new Error(`"${said}" is not a number above zero`);
  return value;
}
