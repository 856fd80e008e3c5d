/**
 * Finds what nobody needs and what needs itself: exports and files that nobody imports, and files that load each other in a
 * circle. It reads text, not a syntax tree, as `layers.ts` does: the formatter puts every import and export at the start of a
 * line. What it cannot read it takes for used, so that it never complains in error.
 */
import { posix } from "node:path";

/** Files of src/ that are started or published, and so imported by nobody. */
export const ENTRIES: readonly string[] = [
  "src/index.ts",
  "src/user-tools/index.ts",
  "src/cli/main.ts",
  "src/compose/api-documents-worker.ts",
  "src/console/early.ts",
  "src/console/main.ts",
];

/** The text of each file by its path from the root of the repository, with forward slashes. */
export type Sources = ReadonlyMap<string, string>;

interface Use {
  readonly by: string;
  readonly of: string;
  /** "mentioned": every name that the importing file mentions. */
  readonly names: readonly string[] | "all" | "mentioned";
  /** "late": not while the file is loaded. */
  readonly when: "loading" | "late" | "types";
}

const STATIC = /^(?:import|export)\s+(type\s)?([^;"'`]*?)\bfrom\s+["'](\.[^"']+)["']/gm;
const SIDE_EFFECT = /^import\s+["'](\.[^"']+)["']/gm;
const DYNAMIC = /(=>\s*)?\bimport\(\s*["'](\.[^"']+)["']|\bnew URL\(["'](\.[^"']+\.ts)["'], import\.meta/g;
const DECLARED = /^export\s+(?:async\s+|abstract\s+)*(?:const|let|function\*?|class|interface|type)\s+([\w$]+)/gm;
const LISTED = /^export\s+(?:type\s)?\{([^}]*)\}/gm;
const COMMENT_LINE = /^\s*(?:\/\/|\/\*|\*).*$/gm;

/**
 * Exports of src/ that nobody imports. One that only tests import must do its work in its own file: what only tests use is
 * dead, but what a file uses itself may well deserve a test of its own.
 */
export function unusedExports(sources: Sources): string[] {
  const uses = Map.groupBy(usesIn(sources), ({ of }) => of);
  return production(sources).flatMap((file) => {
    if (ENTRIES.includes(file)) return [];
    const code = withoutComments(sources.get(file) ?? "");
    return exportsOf(code).flatMap((name) => {
      const users = (uses.get(file) ?? []).filter((use) => use.by !== file && isUsed(use, name, sources));
      if (users.length === 0) return `${file} exports ${name}, which nobody imports`;
      const isOwn =
        (code.match(new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`, "g"))?.length ?? 0) > 1;
      return isOwn || users.some(({ by }) => !isTest(by)) ? [] : `${file} exports ${name}, which only tests use`;
    });
  });
}

/** Files of src/ that nobody but tests imports. */
export function unusedFiles(sources: Sources): string[] {
  const used = new Set(usesIn(sources).flatMap(({ by, of }) => (isTest(by) || by === of ? [] : of)));
  return production(sources).filter((file) => !used.has(file) && !ENTRIES.includes(file));
}

/** Files that lie on a circle of imports, or between two; imports of types are no part of one unless they are asked for. */
export function circular(sources: Sources, withTypes = false): string[] {
  const wanted = usesIn(sources).filter(({ when }) => when === "loading" || (withTypes && when === "types"));
  let edges = wanted.filter(({ by, of }) => sources.has(of) && !isTest(by));
  for (let before = Infinity; edges.length < before; ) {
    before = edges.length;
    const [from, to] = [new Set(edges.map(({ by }) => by)), new Set(edges.map(({ of }) => of))];
    edges = edges.filter(({ by, of }) => from.has(of) && to.has(by));
  }
  return [...new Set(edges.map(({ by }) => by))].sort();
}

function usesIn(sources: Sources): Use[] {
  return [...sources].flatMap(([by, text]) => {
    const code = withoutComments(text);
    const to = (specifier = "") => posix.join(posix.dirname(by), specifier);
    const fixed = [...code.matchAll(STATIC)].map(([, type, clause = "", specifier]): Use => {
      const names = clause.includes("*") ? "all" : namesIn(clause);
      return { by, of: to(specifier), names, when: type ? "types" : "loading" };
    });
    const plain = [...code.matchAll(SIDE_EFFECT)].map(([, specifier]): Use => {
      return { by, of: to(specifier), names: [], when: "loading" };
    });
    const late = [...code.matchAll(DYNAMIC)].map(([, arrow, specifier, url]): Use => {
      return { by, of: to(specifier ?? url), names: arrow ? "all" : "mentioned", when: "late" };
    });
    return [...fixed, ...plain, ...late];
  });
}

function isUsed({ by, names }: Use, name: string, sources: Sources): boolean {
  if (typeof names === "object") return names.includes(name);
  return names === "all" || new RegExp(`\\b${name}\\b`).test(sources.get(by) ?? "");
}

function exportsOf(code: string): string[] {
  const listed = [...code.matchAll(LISTED)].flatMap(([, list = ""]) => namesIn(`{${list}}`, "as"));
  return [...[...code.matchAll(DECLARED)].map(([, name = ""]) => name), ...listed];
}

/** The names in braces, as they are called where they come from, or what they are called from there on. */
function namesIn(clause: string, side: "of" | "as" = "of"): string[] {
  const list = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
  const items = list.split(",").map((item) => item.trim().replace(/^type\s+/, ""));
  return items.filter((item) => item !== "").map((item) => item.split(/\s+as\s+/).at(side === "of" ? 0 : -1) ?? item);
}

function production(sources: Sources): string[] {
  return [...sources.keys()].filter((file) => file.startsWith("src/") && !isTest(file));
}

/** The simulator is no test but a program of its own, `npm run simulate`, although it lies in `test/`. */
function isTest(file: string): boolean {
  return file.startsWith("test/") || file.endsWith(".test.ts");
}

function withoutComments(text: string): string {
  return text.replace(COMMENT_LINE, "");
}
