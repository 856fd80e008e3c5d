/** The scorecard as a picture that can be read on light and on dark pages. */
import { type Result, type Results, type Verdict, verdictOf } from "./results.ts";
import type { Row } from "./rows.ts";

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
    ...rows.flatMap((row, place) => lineOf(row, results[row.number], TOP + place * STEP)),
    "</svg>\n",
  ].join("\n");
}

function lineOf({ number, promise, files }: Row, result: Result | undefined, y: number): string[] {
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
