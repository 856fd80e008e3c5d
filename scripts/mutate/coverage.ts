/**
 * Which test reaches which lines, by V8's own coverage of one run of each test file and of the processes that it starts.
 * Kept in node_modules/.cache; a test that has changed is run again, and a source file that has changed since counts as
 * reached as a whole by those who loaded it.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nearness, type TreeCopy } from "./copy.ts";

const CACHE = "node_modules/.cache/mutate";
const LONGEST_MS = 180_000;

interface Reached {
  readonly hash: string;
  readonly lines: readonly number[];
}
export interface Covered {
  readonly hash: string;
  readonly ms: number;
  /** False: it fails without any change, and cannot notice one. */
  readonly passed: boolean;
  readonly files: Readonly<Record<string, Reached>>;
}
interface FunctionCoverage {
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
}
interface Report {
  readonly result: readonly { readonly url: string; readonly functions: readonly FunctionCoverage[] }[];
}

export class Coverage {
  readonly #copy: TreeCopy;
  readonly #tests = new Map<string, Covered>();

  constructor(copy: TreeCopy) {
    this.#copy = copy;
  }

  async learn(tests: readonly string[], onProgress: (text: string) => void): Promise<void> {
    for (const [index, test] of tests.entries()) {
      onProgress(`coverage ${index + 1} of ${tests.length}: ${test}`);
      const hash = hashOf(this.#copy.read(test));
      const known = kept(test);
      const covered = known?.passed && known.hash === hash ? known : await this.#measure(test, hash);
      this.#tests.set(test, covered);
    }
  }

  get failing(): readonly string[] {
    return [...this.#tests].filter(([, { passed }]) => !passed).map(([test]) => test);
  }

  /** The nearest first, then the shortest. */
  reaching(file: string, line: number): readonly string[] {
    const hash = hashOf(this.#copy.read(file));
    const reaches = ({ passed, files }: Covered): boolean => {
      const reached = files[file];
      return passed && reached !== undefined && (reached.hash !== hash || reached.lines.includes(line));
    };
    return [...this.#tests]
      .filter(([, covered]) => reaches(covered))
      .sort(([one, a], [other, b]) => nearness(other, file) - nearness(one, file) || a.ms - b.ms)
      .map(([test]) => test);
  }

  msOf(test: string): number {
    return this.#tests.get(test)?.ms ?? 0;
  }

  async #measure(test: string, hash: string): Promise<Covered> {
    const folder = mkdtempSync(this.#copy.path(".coverage-"));
    try {
      const { passed: isFine, ms } = await this.#copy.run([test], LONGEST_MS, { NODE_V8_COVERAGE: folder });
      // What a child's environment holds is another with coverage, which Node hands down by itself.
      const passed = isFine || (await this.#copy.run([test], LONGEST_MS)).passed;
      const covered = { hash, ms: Math.round(ms), passed, files: this.#filesIn(folder) };
      mkdirSync(CACHE, { recursive: true });
      writeFileSync(cacheOf(test), JSON.stringify(covered));
      return covered;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #filesIn(folder: string): Record<string, Reached> {
    const lines = new Map<string, Set<number>>();
    for (const name of readdirSync(folder)) {
      for (const { url, functions } of reportIn(join(folder, name))) {
        const path = url.startsWith("file://") ? fileURLToPath(url) : "";
        if (!path.startsWith(this.#copy.path("src/")) || path.endsWith(".test.ts")) continue;
        const file = path.slice(this.#copy.folder.length + 1);
        const all = lines.get(file) ?? new Set();
        for (const line of linesRun(this.#copy.read(file), functions)) all.add(line);
        lines.set(file, all);
      }
    }
    const reached = ([file, all]: [string, Set<number>]) =>
      [file, { hash: hashOf(this.#copy.read(file)), lines: [...all] }] as const;
    return Object.fromEntries([...lines].map(reached));
  }
}

/** Types are stripped without moving anything, so that offsets are those of the source. The innermost range decides. */
function linesRun(text: string, functions: readonly FunctionCoverage[]): number[] {
  const ranges = functions.flatMap(({ ranges }) => ranges).sort((a, b) => sizeOf(b) - sizeOf(a));
  const ran = new Uint8Array(text.length);
  for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  let offset = 0;
  return text.split("\n").flatMap((line, index) => {
    const start = offset;
    offset += line.length + 1;
    return ran.subarray(start, offset).includes(1) ? [index + 1] : [];
  });
}

function sizeOf({ startOffset, endOffset }: { readonly startOffset: number; readonly endOffset: number }): number {
  return endOffset - startOffset;
}

/** A process that was killed leaves half a report. */
function reportIn(path: string): Report["result"] {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as Report).result;
  } catch {
    return [];
  }
}

function kept(test: string): Covered | undefined {
  try {
    return JSON.parse(readFileSync(cacheOf(test), "utf8")) as Covered;
  } catch {
    return undefined;
  }
}

function cacheOf(test: string): string {
  return join(CACHE, `${test.replaceAll("/", "+")}.json`);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
