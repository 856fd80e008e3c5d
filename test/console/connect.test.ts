/** Connect pages: for each client the snippet to paste, with this hub's own address, an agent's, and a key that works. */
import assert from "node:assert/strict";
import type { Page } from "./support/playwright.ts";
import { inConsole } from "./support/setting.ts";
import { untilInPage } from "./support/until-in-page.ts";

/** What each client's page must hold for a hub at this address. */
const CLIENTS: Readonly<Record<string, (url: string) => readonly string[]>> = {
  "Claude Desktop": (url) => ["mcpServers", "mcp-remote", `${url}/mcp`],
  "Claude Code": (url) => [`claude mcp add --transport http zaguan`, `${url}/mcp`],
  Cursor: (url) => ["mcpServers", `"url": "${url}/mcp"`],
  "VS Code": (url) => [`"servers"`, `${url}/mcp`],
  "LM Studio": (url) => ["mcpServers", `${url}/mcp`],
  n8n: (url) => [`${url}/mcp`],
  "Open WebUI": (url) => [url, "openapi/tools.json"],
  "Home Assistant": (url) => [`${url}/`],
  xiaozhi: (url) => [url.replace("http", "ws")],
  "Any other client": (url) => [`${url}/mcp`],
};

function shown(page: Page): Promise<string> {
  return page.locator("main").innerText();
}

inConsole("every client has its snippet, with the address of this hub", { at: "#/connect" }, async ({ page, hub }) => {
  for (const [name, pieces] of Object.entries(CLIENTS)) {
    await page.getByRole("navigation", { name: "Clients" }).getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
    for (const piece of pieces(hub.url))
      await untilInPage(page, `document.querySelector("main").innerText.includes(${JSON.stringify(piece)})`);
  }
});

inConsole(
  "what is pasted elsewhere is JSON, and what is copied is what is shown",
  { at: "#/connect" },
  async (setting) => {
    const { page, hub } = setting;
    for (const name of ["Claude Desktop", "Cursor", "LM Studio", "VS Code"]) {
      await page.getByRole("navigation", { name: "Clients" }).getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
      await page
        .locator("main pre", { hasText: `${hub.url}/mcp` })
        .first()
        .waitFor({ state: "attached" });
      const pieces = await page.locator("main pre").allTextContents();
      const settings = pieces.filter((piece) => piece.trim().startsWith("{"));
      assert.ok(settings.length > 0, name);
      for (const piece of settings) JSON.parse(piece);
      assert.ok(
        settings.some((piece) => piece.includes(`${hub.url}/mcp`)),
        name,
      );
    }
  },
);

inConsole("a key that is made here is filled in, and works", { at: "#/connect/cursor" }, async ({ page, client }) => {
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create a key" }).click();
  await untilInPage(page, "/zgn_[\\w-]{20,}/.test(document.querySelector('main').innerText)");
  const key = /zgn_[\w-]{20,}/.exec(await shown(page))?.[0] ?? "";
  assert.ok((await client.withKey(key).names("/mcp")).includes("get_presence"));
});

inConsole("an agent's address can be connected to", { unopened: true }, async ({ page, client, visit, hub }) => {
  await client.agent("ana", "house__get_presence");
  await visit.open("#/connect/cursor?to=agent:ana");
  await page.getByRole("heading", { level: 2, name: "Cursor" }).waitFor();
  await untilInPage(
    page,
    `document.querySelector("main").innerText.includes(${JSON.stringify(`${hub.url}/agents/ana/mcp`)})`,
  );
});
