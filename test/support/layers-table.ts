/** The table of layers in ARCHITECTURE.md: its last column is made of the rules that the architecture test holds. */
import { MAY_IMPORT } from "./layers.ts";

/** Files directly in src/ that compute and know nothing: almost everybody uses some of them. */
const SMALL = /^(?:errors|light-abort|version|heap|indexed-set|coarse-timer|server-name)\.ts!?$/;
const ROW = /^\| (`[^|]*) \| ([^|]*) \| [^|]* \|$/gm;

/** Throws where a folder has no row. */
export function withImportRules(page: string): string {
  const described = new Set<string>();
  const after = page.replace(ROW, (row, names: string, what: string) => {
    const tops = [...names.matchAll(/`([\w.-]+)\/?`/g)].map(([, name = ""]) => name);
    if (!tops.every((top) => MAY_IMPORT[top])) return row;
    for (const top of tops) described.add(top);
    return `| ${names} | ${what} | ${rulesOf(tops)} |`;
  });
  const missing = Object.keys(MAY_IMPORT).filter((top) => !described.has(top));
  if (missing.length > 0) throw new Error(`no row in the table of layers: ${missing.join(", ")}`);
  return after;
}

function rulesOf(tops: readonly string[]): string {
  const allowed = [...new Set(tops.flatMap((top) => MAY_IMPORT[top] ?? []))].filter((row) => !SMALL.test(row));
  const folders = Object.keys(MAY_IMPORT).filter((top) => !top.endsWith(".ts") && !tops.includes(top));
  const left = folders.filter((folder) => !allowed.includes(folder));
  if (left.length <= 2) return `everything but ${left.join(", ")}`;
  const types = allowed.filter((row) => row.endsWith("!")).map((row) => row.slice(0, -1));
  const values = allowed.filter((row) => !row.endsWith("!"));
  const parts = [values.join(", "), types.length > 0 ? `types of ${types.join(", ")}` : ""];
  return parts.filter((part) => part !== "").join("; ") || "nothing";
}
