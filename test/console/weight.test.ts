/** What the whole console weighs on the way to a browser: all pages, all parts, one language, compressed. */
import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import { PAGES } from "./support/pages.ts";
import { inConsole } from "./support/setting.ts";

const MOST_BYTES = 300_000;
const SLOW_MS = 60_000;

inConsole("all pages with all their parts are lighter than 300 kB", {}, async ({ page, visit, t }) => {
  for (const { title } of PAGES) {
    await visit.turnTo(title);
    await page.locator("main progress").first().waitFor({ state: "detached" });
  }
  const parts = visit.requests.filter((request) => /\/(?:console\/.*)?$/.test(new URL(request.url()).pathname));
  await until("all of them are here", () => parts.every((request) => visit.answered.has(request)), SLOW_MS);
  const sizes = await Promise.all(parts.map((request) => request.sizes()));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const bodies = sizes.map(({ responseBodySize }) => responseBodySize);
  const [files, heads] = [sum(bodies), sum(sizes.map(({ responseHeadersSize }) => responseHeadersSize))];
  const largest = parts.map((request, place) => `${new URL(request.url()).pathname} ${bodies[place]}`);
  largest.sort((one, other) => Number(other.split(" ")[1]) - Number(one.split(" ")[1]));
  t.diagnostic(`${parts.length} parts: ${files} bytes compressed, and ${heads} of headers`);
  t.diagnostic(`the largest: ${largest.slice(0, 6).join(", ")}`);
  // One that the browser has already (the icon) travels without a body.
  assert.ok(bodies.filter((size) => size > 0).length > 100, "not everything was counted");
  assert.ok(files < MOST_BYTES, `${files} bytes travel`);
});
