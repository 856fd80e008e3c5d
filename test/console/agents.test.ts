/** Agents and keys in the console: tools are linked by search and tick, keys are shown once, and both do what is said. */
import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import type { Page } from "./support/playwright.ts";
import { inConsole } from "./support/setting.ts";

/** The key that is shown now, and never again. */
async function shownKey(page: Page): Promise<string> {
  await page
    .getByText(/zgn_[\w-]{20,}/)
    .first()
    .waitFor();
  return /zgn_[\w-]{20,}/.exec(await page.locator("body").innerText())?.[0] ?? assert.fail("no key is shown");
}

async function link(page: Page, search: string, box: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Search all tools" }).fill(search);
  await page.getByRole("checkbox", { name: box }).check();
}

inConsole("an agent with two tools and a key sees exactly these two", { at: "#/agents" }, async ({ page, hub }) => {
  await page.getByRole("button", { name: "New agent" }).click();
  const dialog = page.getByRole("dialog", { name: "New agent" });
  await dialog.getByLabel("Name", { exact: true }).fill("cocinera");
  await dialog.getByLabel("System prompt").fill("You cook.");
  await dialog.getByRole("button", { name: "Create agent" }).click();
  await page.getByRole("heading", { level: 2, name: "cocinera" }).waitFor();
  await link(page, "presence", "get_presence house");
  await link(page, "light", "set_light_state house");
  const seen = page.getByRole("list", { name: "What this agent sees" });
  await seen.getByText("get_presence").waitFor();
  await seen.getByText("set_light_state").waitFor();
  await page.getByRole("button", { name: "Create a key" }).click();
  const key = await shownKey(page);
  const agent = new RegistryClient(hub.url).withKey(key);
  assert.deepEqual((await agent.names("/agents/cocinera/mcp")).sort(), ["get_presence", "set_light_state"]);
  await agent.textOf("/agents/cocinera/mcp", "set_light_state", { name: "salon", on: true });
  await page.reload();
  await page.getByRole("heading", { level: 2, name: "cocinera" }).waitFor();
  assert.ok(!(await page.content()).includes(key), "it is shown once");
});

const BEFOREHAND = { unopened: true };

inConsole("a tool that is unlinked is gone from the agent at once", BEFOREHAND, async ({ page, client, visit }) => {
  await client.agent("ana", "house__get_presence", "house__get_all_states");
  await visit.open("#/agents");
  await page.getByRole("link", { name: "ana" }).click();
  // What is wanted is shown at once; this list is what the hub has.
  const seen = page.getByRole("list", { name: "What this agent sees" });
  await seen.getByText("get_presence").waitFor();
  await page.getByRole("button", { name: "Unlink get_presence" }).click();
  await seen.getByText("get_presence").waitFor({ state: "detached" });
  assert.deepEqual(await client.names("/agents/ana/mcp"), ["get_all_states"]);
});

inConsole("an agent is changed and removed", BEFOREHAND, async ({ page, client, visit }) => {
  await client.agent("ana");
  await visit.open("#/agents");
  await page.getByRole("link", { name: "ana" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Description").fill("Helps in the kitchen");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("Helps in the kitchen").first().waitFor();
  await page.getByRole("button", { name: "Remove" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Remove/ })
    .click();
  await page.getByRole("button", { name: "New agent" }).waitFor();
  await until("the hub has removed it", async () => (await client.get("/agents/ana")).status === 404);
});

inConsole("a name that is taken is said at the field", { at: "#/agents" }, async ({ page, client, visit }) => {
  visit.expect(/409/);
  await client.agent("ana");
  await page.getByRole("button", { name: "New agent" }).click();
  const dialog = page.getByRole("dialog", { name: "New agent" });
  await dialog.getByLabel("Name", { exact: true }).fill("ana");
  await dialog.getByRole("button", { name: "Create agent" }).click();
  await dialog
    .getByText(/already|taken|exists/i)
    .first()
    .waitFor();
});

inConsole("a key is made, shown once, used and revoked", { at: "#/agents" }, async ({ page, hub }) => {
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog", { name: "New key" });
  await dialog.getByLabel("Name", { exact: true }).fill("tablet");
  await dialog.getByRole("button", { name: "Create the key" }).click();
  const key = await shownKey(page);
  const tablet = new RegistryClient(hub.url).withKey(key);
  assert.ok((await tablet.names("/mcp")).includes("get_presence"));
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("button", { name: "Revoke the key tablet" }).waitFor();
  assert.ok(!(await page.content()).includes(key), "it is shown once");
  await page.getByRole("button", { name: "Revoke the key tablet" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Revoke/ })
    .click();
  await page.getByRole("button", { name: "Revoke the key tablet" }).waitFor({ state: "detached" });
  assert.equal((await tablet.rpc("/mcp", "tools/list")).status, 401);
});
