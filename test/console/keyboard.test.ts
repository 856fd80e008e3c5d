/** The console by keyboard alone: no test here touches a mouse. Where one is can be seen at every step. */
import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { enter, focused, reach, tabTo } from "./support/keyboard.ts";
import { inConsole } from "./support/setting.ts";
import { untilInPage } from "./support/until-in-page.ts";

inConsole("a lamp is switched", {}, async ({ page, client }) => {
  await page.getByRole("switch", { name: "Light salon" }).waitFor();
  await reach(page, "Light salon", "Space");
  await page.getByRole("switch", { name: "Light salon", checked: true }).waitFor();
  // It is shown as switched before the answer to its call, and takes no other until then.
  await page.locator('[aria-label="Light salon"][aria-busy="false"]').waitFor();
  assert.equal((await focused(page)).name, "Light salon", "the focus stays");
  await page.keyboard.press("Enter");
  await page.getByRole("switch", { name: "Light salon", checked: false }).waitFor();
  const states = JSON.parse(await client.textOf("/mcp", "get_all_states", {})) as { lights: Record<string, boolean> };
  assert.equal(states.lights["salon"], false);
});

inConsole("the first thing leads past the menu", {}, async ({ page }) => {
  await page.keyboard.press("Tab");
  assert.equal((await focused(page)).name, "Skip to content");
  await page.keyboard.press("Enter");
  await untilInPage(page, "document.activeElement.id === 'main'");
});

inConsole("a server is added, and removed again", {}, async ({ page, client, later }) => {
  const standIn = await StandIn.start({ tools: [SEED_TOOL] });
  later(() => standIn.close());
  await reach(page, /^Servers$/);
  await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
  await page.getByRole("link", { name: "Add a server" }).first().waitFor();
  await reach(page, "Add a server");
  await page.getByRole("heading", { name: "Add a server" }).waitFor();
  await enter(page, "Name", "letras");
  await enter(page, "URL", standIn.url);
  await reach(page, "Preview");
  await page.getByText(SEED_TOOL.name).first().waitFor();
  await reach(page, "Add");
  await page.getByRole("heading", { level: 2, name: "letras" }).waitFor();
  await page.getByRole("link", { name: /^1 tool/ }).waitFor();
  assert.equal(await client.textOf("/mcp", SEED_TOOL.name, { prompt: "hola" }), `${SEED_TOOL.name}: hola`);
  await reach(page, "Remove");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  // By its element: it is closed, and so no dialog to be seen, a moment before the page is told and takes it away.
  await page.locator("dialog").waitFor({ state: "detached" });
  await until("the focus is back where the dialog was opened", async () => (await focused(page)).name === "Remove");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await reach(page, "Remove");
  await page.getByRole("list", { name: "Servers" }).waitFor();
  assert.equal((await client.get("/mcp/servers/letras")).status, 404);
});

inConsole("a tool is found and called", {}, async ({ page, client }) => {
  await reach(page, /^Tools$/);
  await page.getByRole("link", { name: /^set_light_state/ }).waitFor();
  await enter(page, "Search tools", "light state");
  await page.getByRole("link", { name: /^get_presence/ }).waitFor({ state: "detached" });
  await reach(page, /^set_light_state/);
  await page.getByRole("heading", { level: 2, name: "set_light_state" }).waitFor();
  await enter(page, /^name/, "salon");
  await tabTo(page, /^on\b/);
  await page.keyboard.type("true");
  await reach(page, "Call");
  await page.getByRole("region", { name: "Response" }).getByRole("status").filter({ hasText: /after/ }).waitFor();
  const states = JSON.parse(await client.textOf("/mcp", "get_all_states", {})) as { lights: Record<string, boolean> };
  assert.equal(states.lights["salon"], true);
});

inConsole("one call of many is looked at, and the way back is where one was", {}, async ({ page, client }) => {
  await client.call("/mcp", "get_presence", {});
  await client.call("/mcp", "get_all_states", {});
  await reach(page, /^Calls$/);
  await page.getByRole("link", { name: /get_presence/ }).waitFor();
  await tabTo(page, /get_all_states/);
  await page.keyboard.press("ArrowDown");
  assert.match((await focused(page)).name, /get_presence/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("Way through the hub").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await untilInPage(page, "document.activeElement.textContent.includes('get_presence')");
});

inConsole("language and colours are chosen", {}, async ({ page }) => {
  await tabTo(page, "Language");
  await page.keyboard.type("Esp");
  await page.getByRole("heading", { level: 1, name: "Casa" }).waitFor();
  await tabTo(page, "Colores");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await untilInPage(page, "document.documentElement.dataset.theme === 'dark'");
});
