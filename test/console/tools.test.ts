/** Tools in the console: found by search, called by a form made of their schema, and answered with what the answer is. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { everything } from "../peers/support/official-servers.ts";
import { until } from "../support/processes.ts";
import { StandIn } from "../support/registry-servers.ts";
import type { Locator, Page } from "./support/playwright.ts";
import { inConsole, type Later, type SettingOptions } from "./support/setting.ts";
import { untilInPage } from "./support/until-in-page.ts";

/** With server-everything, which the hub starts itself. */
const EVERYTHING = { config: { mcpServers: { everything: everything() } } };

function answer(page: Page): Locator {
  return page.getByRole("region", { name: "Response", exact: true });
}

async function call(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await answer(page).getByRole("status").filter({ hasText: /after/ }).waitFor();
}

inConsole("a tool is found by search and called by its form", { at: "#/tools" }, async ({ page, client }) => {
  await page.getByRole("searchbox", { name: "Search tools" }).fill("light state");
  await page.getByRole("link", { name: /^set_light_state/ }).click();
  await page.getByRole("heading", { level: 2, name: "set_light_state" }).waitFor();
  await page.getByLabel("name", { exact: true }).fill("salon");
  await page.getByLabel("on", { exact: true }).selectOption({ label: "true" });
  await call(page);
  assert.match(await answer(page).innerText(), /"?ok"?[\s\S]*true/);
  const states = JSON.parse(await client.textOf("/mcp", "get_all_states", {})) as { lights: Record<string, boolean> };
  assert.equal(states.lights["salon"], true);
});

inConsole(
  "what is missing or wrong is said at its field, and nothing is called",
  { at: "#/tools" },
  async (setting) => {
    const { page, client } = setting;
    await page.getByRole("link", { name: /^set_light_state/ }).click();
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator("[aria-invalid=true]").first().waitFor();
    assert.deepEqual((await client.get("/calls")).body, []);
  },
);

inConsole("arguments are given as JSON, too, and what the form knew is kept", { at: "#/tools" }, async (setting) => {
  const { page } = setting;
  await page.getByRole("link", { name: /^set_light_state/ }).click();
  await page.getByLabel("name", { exact: true }).fill("cocina");
  await page.getByRole("tab", { name: "As JSON" }).click();
  const panel = page.getByRole("tabpanel", { name: "As JSON" });
  assert.deepEqual(JSON.parse(await panel.getByRole("textbox").inputValue()), { name: "cocina" });
  await panel.getByRole("textbox").fill('{ "name": "cocina", "on": true }');
  await call(page);
  await page.getByRole("tab", { name: "Form", exact: true }).click();
  assert.equal(await page.getByLabel("name", { exact: true }).inputValue(), "cocina");
});

/** Everything that a form must be able to say. */
const NESTED = {
  name: "plan_party",
  description: "Plans a party",
  inputSchema: {
    type: "object",
    required: ["host", "guests", "payment"],
    properties: {
      host: { type: "object", required: ["name"], properties: { name: { type: "string" }, age: { type: "integer" } } },
      guests: { type: "array", minItems: 1, items: { type: "string" } },
      mood: { type: "string", enum: ["calm", "wild"] },
      budget: { type: "number", minimum: 0 },
      payment: {
        oneOf: [
          { title: "By card", type: "object", required: ["card"], properties: { card: { type: "string" } } },
          { title: "In cash", type: "object", required: ["amount"], properties: { amount: { type: "number" } } },
        ],
      },
    },
  },
};

/** A hub with this server behind it, which says what the test wants. */
async function withServer(later: Later, tools: readonly object[], result: StandIn["result"]): Promise<SettingOptions> {
  standIn = await StandIn.start({ tools });
  later(() => standIn.close());
  standIn.result = result;
  return { config: { mcpServers: { fiesta: { url: standIn.url } } }, args: ["--allow-private"] };
}

let standIn: StandIn;

const withNested = (later: Later): Promise<SettingOptions> =>
  withServer(later, [NESTED], (_, args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }));

inConsole(
  "a form has nested objects, lists, choices and one-of, and sends what was meant",
  withNested,
  async (setting) => {
    const { page, visit } = setting;
    await visit.open("#/tools/fiesta/plan_party");
    const form = page.getByRole("tabpanel", { name: "Form" });
    const host = form.getByRole("group", { name: "host" });
    await host.getByLabel("name", { exact: true }).fill("Ana");
    await host.getByLabel("age", { exact: true }).fill("41");
    const guests = form.getByRole("group", { name: "guests" });
    for (const [place, name] of ["Luis", "Eva"].entries()) {
      const box = guests.getByRole("textbox").nth(place);
      if ((await box.count()) === 0) await guests.getByRole("button", { name: "Add an item to guests" }).click();
      await box.fill(name);
    }
    await form.getByLabel("mood", { exact: true }).selectOption({ label: "wild" });
    await form.getByLabel("budget", { exact: true }).fill("12.5");
    const payment = form.getByRole("group", { name: "payment" });
    await payment.getByRole("combobox", { name: "Form of payment" }).selectOption({ label: "In cash" });
    await payment.getByLabel("amount", { exact: true }).fill("30");
    await call(page);
    assert.deepEqual(standIn.calls.at(-1)?.params?.arguments, {
      host: { name: "Ana", age: 41 },
      guests: ["Luis", "Eva"],
      mood: "wild",
      budget: 12.5,
      payment: { amount: 30 },
    });
  },
);

inConsole("answers are shown as what they are", { ...EVERYTHING, unopened: true }, async ({ page, visit, client }) => {
  await client.textOf("/mcp", "echo", { message: "start" });
  await visit.open("#/tools/everything/get-tiny-image");
  await call(page);
  const image = answer(page).getByRole("img").first();
  await image.waitFor();
  await untilInPage(page, "document.querySelector('[class*=answer] img, main img').naturalWidth > 1");
  await visit.open("#/tools/everything/get-structured-content");
  await page.getByLabel("location", { exact: true }).selectOption({ label: "Chicago" });
  await call(page);
  assert.match(await answer(page).innerText(), /temperature/);
  await visit.open("#/tools/everything/get-resource-links");
  await call(page);
  assert.match(await answer(page).innerText(), /demo:\/\/resource/);
  await visit.open("#/tools/everything/get-resource-reference");
  await call(page);
  assert.match(await answer(page).innerText(), /demo:\/\/resource\S*text/);
});

/** As short as a sound can be that a browser plays. */
const SOUND = `UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=`;

const CONTENT: Readonly<Record<string, object[]>> = {
  sound: [{ type: "audio", data: SOUND, mimeType: "audio/wav" }],
  script: [{ type: "text", text: "<img src=x onerror='globalThis.isBroken = true'><script>1</script>" }],
  fails: [{ type: "text", text: "no power" }],
};

const withRadio = (later: Later): Promise<SettingOptions> => {
  const tools = Object.keys(CONTENT).map((name) => ({ name, inputSchema: { type: "object" } }));
  return withServer(later, tools, (name) => ({ content: CONTENT[name], isError: name === "fails" }));
};

inConsole(
  "a sound can be played, what looks like HTML is only text, and a failure says so",
  withRadio,
  async (setting) => {
    const { page, visit } = setting;
    await visit.open("#/tools/fiesta/sound");
    await call(page);
    assert.match((await answer(page).locator("audio").getAttribute("src")) ?? "", /^(data|blob):/);
    await visit.open("#/tools/fiesta/script");
    await call(page);
    assert.match(await answer(page).innerText(), /<img src=x onerror=/);
    assert.equal(await page.evaluate("globalThis.isBroken"), undefined);
    await visit.open("#/tools/fiesta/fails");
    await call(page);
    assert.match(await answer(page).innerText(), /fail[\s\S]*no power/i);
  },
);

inConsole("the same call as curl and as JSON-RPC does the same", { at: "#/tools" }, async ({ page, client, hub }) => {
  await page.getByRole("link", { name: /^set_light_state/ }).click();
  await page.getByLabel("name", { exact: true }).fill("salon");
  await page.getByLabel("on", { exact: true }).selectOption({ label: "true" });
  const elsewhere = page.getByRole("region", { name: "The same call elsewhere" });
  const code = (tab: string): Locator => elsewhere.getByRole("tabpanel", { name: tab }).locator("pre");
  // The last that was filled in is in it.
  await code("curl")
    .filter({ hasText: /"on":\s*true/ })
    .waitFor();
  const curl = (await code("curl").textContent()) ?? "";
  await elsewhere.getByRole("tab", { name: "JSON-RPC" }).click();
  const message = JSON.parse((await code("JSON-RPC").textContent()) ?? "{}") as object;
  const { status, body } = await client.post("/mcp", message);
  assert.deepEqual([status, body.result?.structuredContent], [200, { ok: true }]);
  assert.ok(curl.includes(`${hub.url}/mcp`));
  const ran = spawnSync("sh", ["-c", curl], { encoding: "utf8" });
  if (ran.status === 127) return;
  assert.match(ran.stdout, /"ok":true/, ran.stderr);
  await elsewhere.getByRole("tab", { name: "Client: all tools" }).click();
  const settings = JSON.parse((await code("Client: all tools").textContent()) ?? "{}");
  assert.equal(settings.mcpServers?.zaguan?.url, `${hub.url}/mcp`);
});

inConsole("tools that come later appear by themselves", { at: "#/tools" }, async ({ page, client, later }) => {
  await page.getByRole("link", { name: /^get_presence/ }).waitFor();
  const letras = await StandIn.start();
  later(() => letras.close());
  await client.found("letras", letras.url);
  await page.getByRole("link", { name: /^nombre-herramienta/ }).waitFor();
});

inConsole("a call that takes long is stopped where it was begun", EVERYTHING, async ({ page, visit, client }) => {
  await visit.open("#/tools/everything/trigger-long-running-operation");
  await page.getByLabel("duration", { exact: true }).fill("20");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const calls = async (state: string) =>
    (await client.get(`/calls?state=${state}`)).body as readonly { readonly outcome: string }[];
  await until("the hub has the call", async () => (await calls("running")).length === 1);
  await page.getByRole("button", { name: /^(Cancel|Stop)/ }).click();
  await until("the hub knows that its caller has gone", async () => (await calls("ended")).length > 0);
  assert.equal((await calls("ended"))[0]?.outcome, "CANCELLED");
});
