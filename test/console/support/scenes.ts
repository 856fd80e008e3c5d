/** Every page of the console with something on it, and what opens on it: what is true of all of them is tried on each. */
import type { Lively } from "./lively.ts";
import type { Page } from "./playwright.ts";
import type { Visit } from "./visit.ts";

export interface Scene {
  readonly name: string;
  /** Behind the address of the hub. */
  readonly at: string;
  /** What a person does there before it is looked at; in English. */
  act?(page: Page, lively: Lively): Promise<void>;
}

const PASTED = JSON.stringify({
  mcpServers: {
    notes: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/notes"] },
    remote: { url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer $TOKEN" } },
  },
});

async function called(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page
    .getByRole("region", { name: "Response", exact: true })
    .getByRole("status")
    .filter({ hasText: /after/ })
    .waitFor();
}

export const SCENES: readonly Scene[] = [
  { name: "the house", at: "#/house" },
  { name: "all servers", at: "#/servers" },
  { name: "a server", at: "#/servers/everything" },
  { name: "a server that is away", at: "#/servers/garage" },
  { name: "an API", at: "#/servers/weather" },
  {
    name: "a server by form",
    at: "#/servers/add/form",
    act: async (page) => {
      const form = page.getByRole("region", { name: "By form" });
      await form.getByLabel("Name", { exact: true }).fill("nobody");
      await form.getByRole("textbox", { name: "URL" }).fill("http://127.0.0.1:9/mcp");
      await form.getByRole("button", { name: "Preview" }).click();
      await form
        .getByText(/connection refused/i)
        .first()
        .waitFor();
    },
  },
  {
    name: "servers by paste",
    at: "#/servers/add/paste",
    act: async (page) => {
      await page.getByRole("textbox", { name: "JSON" }).fill(PASTED);
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("alert").first().waitFor();
    },
  },
  {
    name: "an OpenAPI document",
    at: "#/servers/add/openapi",
    act: async (page, { client }) => {
      const { baseUrl } = (await client.get("/mcp/servers/weather")).body;
      await page.getByRole("textbox", { name: "URL of the document" }).fill(`${baseUrl}/openapi.yaml`);
      await page.getByRole("button", { name: "Read the document" }).click();
      await page.getByRole("list", { name: "Operations" }).waitFor();
    },
  },
  { name: "all tools", at: "#/tools" },
  {
    name: "a tool and its answer",
    at: "#/tools/weather/forecast",
    act: async (page) => {
      await page.getByLabel("city", { exact: true }).fill("Madrid");
      await called(page);
    },
  },
  { name: "a tool's picture", at: "#/tools/everything/get-tiny-image", act: called },
  { name: "a tool that wants more", at: "#/tools/everything/get-sum", act: (page) => press(page, "Call") },
  { name: "agents and keys", at: "#/agents" },
  { name: "an agent", at: "#/agents/kitchen" },
  { name: "a new agent", at: "#/agents", act: (page) => press(page, "New agent") },
  { name: "a new key", at: "#/agents", act: (page) => press(page, "New key") },
  { name: "calls", at: "#/calls" },
  {
    name: "one call",
    at: "#/calls",
    act: async (page) => {
      await page
        .getByRole("link", { name: /report/ })
        .first()
        .click();
      await page.getByRole("dialog").getByText("Way through the hub").waitFor();
    },
  },
  { name: "figures", at: "#/figures" },
  { name: "figures as tables", at: "#/figures", act: (page) => press(page, "Show as a table") },
  { name: "what to connect", at: "#/connect" },
  { name: "a client to connect", at: "#/connect/home-assistant" },
];

/** As a person finds it who has waited until everything is there. */
export async function stage({ at, act }: Scene, visit: Visit, lively: Lively): Promise<Page> {
  const page = await visit.open(at);
  await page.locator("main h1").waitFor();
  await page.locator("main progress").first().waitFor({ state: "detached" });
  await act?.(page, lively);
  return page;
}

/** What scenes complain of on purpose: a preview that is refused. */
export const EXPECTED: readonly RegExp[] = [/status of 403/];

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).first().click();
}
