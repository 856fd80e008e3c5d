/** What each row of the scorecard showed when it was last run: kept in a file, and shown as a page and as a picture. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Row } from "./rows.ts";
import type { Outcome } from "./run-row.ts";

export interface Result extends Omit<Outcome, "said"> {
  readonly length: "document" | "full";
  /** `2026-11-16` */
  readonly date: string;
  /** Of the source that was tested; with a `+` if it had been changed since. */
  readonly commit: string;
}

/** By the row's number. */
export type Results = Readonly<Record<string, Result>>;

export function readResults(file: string): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : {};
}

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

export type Verdict = "passed" | "failed" | "not yet" | "not run";

export function verdictOf(files: readonly string[], result: Result | undefined): Verdict {
  if (files.length === 0) return "not yet";
  if (!result) return "not run";
  return result.passed ? "passed" : "failed";
}

const HEAD = `# Scorecard

What Zaguan promises of its reliability and safety, how each promise is tested, and what was seen. \`npm run scorecard\` runs
every row and renews this page, \`npm run scorecard -- --only 2,6\` some of them (the others keep what they last showed, with
their own date and commit), \`--full\` takes the longest lengths. \`npm run test:hard\` runs the same tests in their short form. A row
passes only if its tests do and it has a figure of its own; "not yet" stands for what Zaguan does not do yet. A commit with a
\`+\` had changes that were not committed. A row that counts milliseconds waits up to three minutes while the host of a virtual machine takes
more than one percent of its processor time away, and if it fails in such a time, it is tried again, at most twice; it tells how often it was tried.

![The rows of the scorecard and their verdicts](scorecard.svg)

| row | promise | how it is tested | figures | date | commit | verdict |
|---|---|---|---|---|---|---|
`;

/** The scorecard as a page of the documents. */
export function pageOf(rows: readonly Row[], results: Results): string {
  return `${HEAD}${rows.map((row) => `${tableRow(row, results[row.number])}\n`).join("")}`;
}

function tableRow({ number, promise, how, files }: Row, result: Result | undefined): string {
  const figures = result?.figures.map(({ what, seen }) => `${what}: ${seen}`).join("; ") ?? "";
  const verdict = verdictOf(files, result);
  const reason = result?.reason ? ` (${result.reason})` : "";
  const cells = [
    `${number}`,
    promise,
    how,
    figures,
    result?.date ?? "",
    result?.commit ?? "",
    `**${verdict}**${reason}`,
  ];
  return `| ${cells.map(cell).join(" | ")} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").replaceAll("<", "&lt;");
}

const WIDTH = 1_000;
const TOP = 64;
const STEP = 38;
const MARKS: Readonly<Record<Verdict, string>> = { passed: "✓", failed: "✗", "not yet": "–", "not run": "?" };
/** What fits beside the number. */
const PROMISE = 120;
const FIGURES = 150;

const STYLE = `<style>
text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 14px; fill: #1f2933 }
.title { font-size: 18px; font-weight: 600 }
.faint { font-size: 11.5px; fill: #5f6b78 }
.number { font-weight: 600; text-anchor: end }
.mark { font-weight: 700; text-anchor: middle; fill: #ffffff }
.line { stroke: #d5dae0 }
.passed { fill: #1a7f45 } .failed { fill: #c0362c } .not { fill: #7b8794 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6eaee } .faint { fill: #a3aeb9 } .line { stroke: #3a444e } .mark { fill: #ffffff }
}
</style>`;

/** The scorecard as a picture that can be read on light and on dark pages. */
export function pictureOf(rows: readonly Row[], results: Results): string {
  const height = TOP + rows.length * STEP + 8;
  const verdicts = rows.map(({ number, files }) => verdictOf(files, results[number]));
  const title = `Scorecard: ${verdicts.filter((verdict) => verdict === "passed").length} of ${rows.length} rows passed`;
  const counts = (["failed", "not yet", "not run"] as const).flatMap((verdict) => {
    const count = verdicts.filter((each) => each === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">`,
    STYLE,
    `<text class="title" x="16" y="28">${title}</text>`,
    `<text class="faint" x="16" y="47">${counts.join(" · ")}</text>`,
    ...rows.flatMap((row, place) => pictureRow(row, results[row.number], TOP + place * STEP)),
    "</svg>\n",
  ].join("\n");
}

function pictureRow({ number, promise, files }: Row, result: Result | undefined, y: number): string[] {
  const verdict = verdictOf(files, result);
  const figures = result?.figures.map(({ what, seen }) => `${what}: ${seen}`).join(" · ") ?? "";
  const said = verdict === "failed" ? `${result?.reason ?? ""} · ${figures}` : figures || verdict;
  return [
    `<line class="line" x1="16" x2="${WIDTH - 16}" y1="${y}" y2="${y}"/>`,
    `<circle class="${verdict.split(" ")[0]}" cx="30" cy="${y + 19}" r="11"/>`,
    `<text class="mark" x="30" y="${y + 24}">${MARKS[verdict]}</text>`,
    `<text class="number" x="70" y="${y + 24}">${number}</text>`,
    `<text x="84" y="${y + 17}">${fitting(promise, PROMISE)}</text>`,
    `<text class="faint" x="84" y="${y + 32}">${fitting(said, FIGURES)}</text>`,
  ];
}

function fitting(text: string, length: number): string {
  const cut = text.length > length ? `${text.slice(0, length - 1)}…` : text;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
