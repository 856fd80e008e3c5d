/** The scorecard as a page of the documents. */
import { type Result, type Results, verdictOf } from "./results.ts";
import type { Row } from "./rows.ts";

const HEAD = `# Scorecard

What Zaguan promises of its reliability and safety, how each promise is tested, and what was seen. \`npm run scorecard\` runs
every row and renews this page, \`npm run scorecard -- --only 2,6\` some of them (the others keep what they last showed, with
their own date and commit), \`--full\` takes the longest lengths. \`npm run test:hard\` runs the same tests in their short form. A row
passes only if its tests do and it has a figure of its own; "not yet" stands for what Zaguan does not do yet. A commit with a
\`+\` had changes that were not committed.

![The rows of the scorecard and their verdicts](scorecard.svg)

| row | promise | how it is tested | figures | date | commit | verdict |
|---|---|---|---|---|---|---|
`;

export function pageOf(rows: readonly Row[], results: Results): string {
  return `${HEAD}${rows.map((row) => `${lineOf(row, results[row.number])}\n`).join("")}`;
}

function lineOf({ number, promise, how, files }: Row, result: Result | undefined): string {
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
