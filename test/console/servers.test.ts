/** Servers in the console: added by form, by paste and by an OpenAPI document, each with a preview; watched and removed. */
import assert from "node:assert/strict";
import process from "node:process";
import { everything } from "../peers/support/official-servers.ts";
import { until } from "../support/processes.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { type Installation, SlowInstaller } from "../support/slow-installer.ts";
import { startWeather } from "./support/lively.ts";
import type { Locator, Page } from "./support/playwright.ts";
import { inConsole, type Later, type SettingOptions } from "./support/setting.ts";

const SLOW_MS = 60_000;
const ALLOWED = { config: { auth: { allowedCommands: [process.execPath] } } };

/** What somebody has in another client's configuration. */
function pasted(): string {
  const { command, args } = everything();
  return JSON.stringify({ mcpServers: { everything: { command, args } } }, null, 2);
}

function region(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

async function paste(page: Page, text: string): Promise<void> {
  await page.getByRole("link", { name: "Add a server" }).first().click();
  await page.getByRole("link", { name: "Paste JSON" }).click();
  await page.getByRole("textbox", { name: "JSON" }).fill(text);
  await page.getByRole("button", { name: "Preview" }).click();
}

inConsole("server-everything is added by paste, with a preview", { ...ALLOWED, at: "#/servers" }, async (setting) => {
  const { page, client } = setting;
  await paste(page, pasted());
  const form = region(page, "Paste JSON");
  await form
    .getByText(/^\d+ tools$/)
    .first()
    .waitFor();
  assert.equal((await client.get("/mcp/servers/everything")).status, 404, "a preview changes nothing");
  await form.getByRole("button", { name: "Add 1 server" }).click();
  await page.getByRole("heading", { level: 2, name: "everything" }).waitFor();
  await page.getByText(/It offers \d+ tools/).waitFor();
  assert.ok((await client.names("/mcp")).includes("trigger-long-running-operation"));
  assert.equal(await client.textOf("/mcp", "echo", { message: "hola" }), "Echo: hola");
  await page.getByText("ready", { exact: true }).waitFor();
  await page.getByRole("link", { name: "All servers" }).first().click();
  const row = page.getByRole("list", { name: "Servers" }).getByRole("listitem").filter({ hasText: "everything" });
  await row.getByText(/^program \(stdio\) · MCP \d{4}-\d\d-\d\d/).waitFor();
  // Drawn by what its kind says.
  await row.locator("svg.icon path").first().waitFor({ state: "attached" });
  assert.equal(await row.locator("svg.icon path").count(), 1);
});

/** One that the hub starts at once, since nothing is known of it. */
let heavy: Installation;
const installing = async (later: Later): Promise<SettingOptions> => {
  const installer = new SlowInstaller();
  later(() => installer.close());
  heavy = installer.package("heavy");
  const mcpServers = { heavy: { command: "npx", args: ["-y", "heavy"] } };
  return { config: { mcpServers }, env: { PATH: installer.path }, at: "#/servers" };
};

inConsole(
  "one that installs is seen installing, with what it says, in the list and on its page",
  installing,
  async (setting) => {
    const { page } = setting;
    const row = page.getByRole("list", { name: "Servers" }).getByRole("listitem").filter({ hasText: "heavy" });
    await row.getByText("installing", { exact: true }).waitFor();
    heavy.log("added 12 of 345 packages");
    await row.getByText("added 12 of 345 packages").waitFor();
    heavy.log("added 99 of 345 packages");
    await row.getByText("added 99 of 345 packages").waitFor();
    await row.getByRole("link", { name: "heavy", exact: true }).click();
    const notice = page.locator(".servers-notice");
    await notice.getByText("Last line of its log: added 99 of 345 packages").waitFor();
    heavy.log("added 345 packages");
    await notice.getByText("added 345 packages").waitFor();
    heavy.becomeReady();
    await page.getByText("ready", { exact: true }).waitFor();
    await page.getByRole("link", { name: "1 tool" }).first().waitFor();
    await notice.waitFor({ state: "detached" });
  },
);

inConsole("a program that is not allowed is refused with a clear word", { at: "#/servers" }, async (setting) => {
  const { page, client, visit } = setting;
  visit.expect(/403/);
  await paste(page, pasted());
  const alert = region(page, "Paste JSON").getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /auth\.allowedCommands/);
  assert.equal(await page.getByRole("button", { name: /^Add/ }).isDisabled(), true);
  assert.equal((await client.get("/mcp/servers/everything")).status, 404);
});

inConsole("what is no JSON is said where it is wrong", { at: "#/servers/add/paste" }, async ({ page }) => {
  await page.getByRole("textbox", { name: "JSON" }).fill('{ "mcpServers": { "a": { "command": } } }');
  const field = page.getByRole("textbox", { name: "JSON" });
  await page.locator("[aria-invalid=true]").and(field).waitFor();
});

inConsole("a server is added by the form, watched, refreshed and removed", { at: "#/servers" }, async (setting) => {
  const { page, client, later } = setting;
  const standIn = await StandIn.start({ tools: [SEED_TOOL] });
  later(() => standIn.close());
  await page.getByRole("link", { name: "Add a server" }).first().click();
  const form = region(page, "By form");
  await form.getByLabel("Name", { exact: true }).fill("letras");
  await form.getByRole("textbox", { name: "URL" }).fill(standIn.url);
  await form.getByRole("button", { name: "Preview" }).click();
  await form.getByText(SEED_TOOL.name).first().waitFor();
  assert.equal((await client.get("/mcp/servers/letras")).status, 404, "a preview changes nothing");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("heading", { level: 2, name: "letras" }).waitFor();
  await page.getByRole("link", { name: /^1 tool/ }).waitFor();
  assert.equal(await client.textOf("/mcp", SEED_TOOL.name, { prompt: "hola" }), `${SEED_TOOL.name}: hola`);
  standIn.tools = [SEED_TOOL, { ...SEED_TOOL, name: "otra" }];
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByRole("link", { name: "2 tools" }).first().waitFor();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("list", { name: "Servers" }).waitFor();
  await page.getByRole("link", { name: "letras", exact: true }).waitFor({ state: "detached" });
  assert.equal((await client.get("/mcp/servers/letras")).status, 404);
});

inConsole(
  "a server that is not there is said so, with what was tried",
  { at: "#/servers/add/form" },
  async (setting) => {
    const { page } = setting;
    const form = region(page, "By form");
    await form.getByLabel("Name", { exact: true }).fill("nobody");
    await form.getByRole("textbox", { name: "URL" }).fill("http://127.0.0.1:9/mcp");
    await form.getByRole("button", { name: "Preview" }).click();
    await form
      .getByText(/connection refused/i)
      .first()
      .waitFor();
  },
);

inConsole("a server that comes by other ways appears by itself, and goes", { at: "#/servers" }, async (setting) => {
  const { page, client, later } = setting;
  const standIn = await StandIn.start({ tools: [SEED_TOOL] });
  later(() => standIn.close());
  await client.found("letras", standIn.url);
  await page.getByRole("link", { name: "letras", exact: true }).waitFor();
  await client.done("DELETE", "/mcp/servers/letras");
  await page.getByRole("link", { name: "letras", exact: true }).waitFor({ state: "detached" });
});

inConsole("a server is restarted", { ...ALLOWED, at: "#/servers" }, async ({ page, client, hub }) => {
  const { command, args } = everything();
  await client.done("POST", "/mcp/servers", { name: "everything", command, args });
  await client.done("POST", "/mcp/servers/everything/discover");
  await client.textOf("/mcp", "echo", { message: "hola" });
  const before = hub.descendants();
  await page.getByRole("link", { name: "everything", exact: true }).click();
  await page.getByRole("button", { name: "Restart" }).click();
  await page.getByText("ready", { exact: true }).waitFor();
  await until("a new process was started", () => hub.descendants().some((pid) => !before.includes(pid)), SLOW_MS);
  await client.textOf("/mcp", "echo", { message: "hola" });
});

inConsole("an OpenAPI document is imported from its address, with a preview", { at: "#/servers" }, async (setting) => {
  const { page, client, later } = setting;
  const weather = await startWeather();
  later(() => weather.close());
  await page.getByRole("link", { name: "Add a server" }).first().click();
  await page.getByRole("link", { name: "OpenAPI document" }).click();
  await page.getByRole("textbox", { name: "URL of the document" }).fill(`${weather.url}/openapi.yaml`);
  await page.getByRole("button", { name: "Read the document" }).click();
  await page.getByText("The document describes 5 tools.").waitFor();
  assert.equal((await client.get("/admin/apis")).body.length, 0, "a preview changes nothing");
  const operations = page.getByRole("list", { name: "Operations" });
  assert.match(await operations.innerText(), /current_weather[\s\S]*GET \/v1\/current\.json/);
  await page.getByRole("button", { name: "Import 5 tools" }).click();
  await page.getByRole("link", { name: "5 tools" }).first().waitFor();
  assert.ok((await client.names("/mcp")).includes("current_weather"));
  assert.match(await client.textOf("/mcp", "current_weather", { q: "Madrid" }), /"city":"Madrid"/);
});
