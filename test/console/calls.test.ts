/** Calls in the console: seen while they happen, looked into, found again, and ended. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tappedEverything } from "../peers/support/official-servers.ts";
import { until } from "../support/processes.ts";
import type { Locator, Page } from "./support/playwright.ts";
import { inConsole, type Later, type SettingOptions } from "./support/setting.ts";
import { untilInPage } from "./support/until-in-page.ts";

function rows(page: Page): Locator {
  return page.getByRole("list", { name: "Calls" }).getByRole("listitem");
}

inConsole("a call is in the list at once, with all that is known of it", { at: "#/calls" }, async (setting) => {
  const { page, client } = setting;
  const key = (await client.done("POST", "/keys", { name: "tablet" })).key;
  await client.withKey(key).textOf("/mcp", "set_light_state", { name: "salon", on: true });
  const link = page.getByRole("link", { name: /ok\s+set_light_state/ });
  await link.waitFor();
  const row = await rows(page).filter({ has: link }).innerText();
  for (const told of ["ok", "set_light_state", "house", "mcp", "tablet", "medium"]) assert.ok(row.includes(told), told);
});

inConsole("one call's whole way is shown, its arguments without secrets", { at: "#/calls" }, async (setting) => {
  const { page, client } = setting;
  await client.call("/mcp", "set_light_state", { name: "salon", on: true, token: "very-secret" });
  await page.getByRole("link", { name: /set_light_state/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Way through the hub" }).waitFor();
  const text = await dialog.innerText();
  for (const step of [
    "Access",
    "Arguments",
    "Rate limit",
    "Cached responses",
    "Deadline",
    "Queue",
    "Retries",
    "Server",
  ]) {
    assert.ok(text.includes(step), step);
  }
  assert.match(text, /"name": "salon"[\s\S]*"token": "\[redacted\]"/);
  assert.ok(!(await page.content()).includes("very-secret"));
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  // The focus is where it was.
  await untilInPage(page, "document.activeElement.tagName === 'A'");
});

inConsole("calls are found by words, by state and by how they ended", { at: "#/calls" }, async ({ page, client }) => {
  await client.call("/mcp", "get_presence", {});
  await client.call("/mcp", "set_light_state", { name: 7 });
  await rows(page).nth(1).waitFor();
  await page.getByRole("searchbox", { name: "Search calls" }).fill("presence");
  await rows(page).nth(1).waitFor({ state: "detached" });
  assert.match(await rows(page).innerText(), /get_presence/);
  await page.getByRole("button", { name: "Clear filter" }).click();
  await rows(page).nth(1).waitFor();
  await page.getByLabel("Outcome").selectOption({ label: "all that failed" });
  await rows(page).nth(1).waitFor({ state: "detached" });
  assert.match(await rows(page).innerText(), /set_light_state/);
  await client.call("/mcp", "get_presence", {});
  await client.call("/mcp", "set_light_state", { name: 8 });
  await rows(page).nth(1).waitFor();
  assert.doesNotMatch((await rows(page).allTextContents()).join(), /get_presence/, "also those that come later");
});

let tap: string;

async function withTap(later: Later): Promise<SettingOptions> {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-calls-"));
  later(() => rmSync(folder, { recursive: true, force: true }));
  tap = join(folder, "tap.jsonl");
  return { config: { mcpServers: { everything: tappedEverything(tap) } }, at: "#/calls" };
}

inConsole("a slow call is cancelled from the list, and its source is told", withTap, async ({ page, client }) => {
  await client.textOf("/mcp", "echo", { message: "start" });
  const slow = client.call("/mcp", "trigger-long-running-operation", { duration: 25, steps: 5 });
  await page.getByRole("button", { name: /^Cancel call \d+ of trigger-long-running-operation/ }).click();
  assert.equal((await slow).body.error?.data?.code, "STOPPED");
  await page.getByRole("link", { name: /cancelled\s+trigger-long-running-operation/ }).waitFor();
  const said = (): string => readFileSync(tap, "utf8");
  await until("the source is told", () => said().includes("notifications/cancelled"));
  assert.equal(said().split("notifications/cancelled").length - 1, 1, "once");
});

inConsole("the list waits while somebody wants to read, and says what came", { at: "#/calls" }, async (setting) => {
  const { page, client } = setting;
  await client.call("/mcp", "get_presence", {});
  await rows(page).first().waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await client.call("/mcp", "get_all_states", {});
  await page.getByText(/New since then: 1/).waitFor();
  assert.doesNotMatch((await rows(page).allTextContents()).join(), /get_all_states/);
  await page.getByRole("button", { name: /Follow|Continue|Resume/ }).click();
  await page.getByRole("link", { name: /get_all_states/ }).waitFor();
});

inConsole("a house in which nobody has called says what to do", { at: "#/calls" }, async ({ page }) => {
  await page.locator(".empty").first().waitFor();
});
