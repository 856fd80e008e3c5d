/** What axe finds wrong with a page for those who cannot see it, or not well. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { modulePath, type Page } from "./playwright.ts";

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

const SERIOUS = ["serious", "critical"];

/** Fails with what is serious. It puts styles of its own into the page, which must be opened without its policy. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  const source = readFileSync(modulePath("axe-core/axe.min.js"), "utf8");
  await page.evaluate(`if (!globalThis.axe) { ${source} }`);
  const findings = await page.evaluate<readonly Finding[]>(
    `axe.run(document, { preload: false, resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  const serious = findings.filter(({ impact }) => SERIOUS.includes(impact));
  const told = serious.map(({ id, help, nodes }) => {
    const places = nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`);
    return `${id}: ${help}\n  ${places.join("\n  ")}`;
  });
  assert.deepEqual(told, [], what);
}
