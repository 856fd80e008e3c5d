/** The house in the console: lamps that glow whoever turned them on, the alarm, who is at home, a Home Assistant, devices. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { dialFirmware } from "../support/devices/index.ts";
import { type SimulatedHome, startHomeAssistant } from "../support/home-assistant/index.ts";
import { LineSession } from "../support/line-session.ts";
import { until } from "../support/processes.ts";
import type { RegistryClient } from "../support/registry-client.ts";
import { callLine, resultLine } from "../support/seed-000.ts";
import type { Locator, Page } from "./support/playwright.ts";
import { inConsole, type Later, type SettingOptions } from "./support/setting.ts";

interface States {
  readonly lights: Readonly<Record<string, boolean>>;
  readonly alarm: boolean;
  readonly presence: { readonly present: boolean; readonly known_people: readonly string[] };
}

async function states(client: RegistryClient): Promise<States> {
  return JSON.parse(await client.textOf("/mcp", "get_all_states", {})) as States;
}

function lamp(page: Page, name: string, checked: boolean): Locator {
  return page.getByRole("switch", { name: `Light ${name}`, exact: true, checked });
}

/** It glows if its rays are drawn: a shape, not only a colour. */
async function glows(page: Page, name: string): Promise<boolean> {
  const ray = `document.querySelector('[aria-label="Light ${name}"] .rays path')`;
  return (await page.evaluate<string>(`getComputedStyle(${ray}).stroke`)) !== "none";
}

inConsole("a lamp is turned on by a click, and every tool knows", {}, async ({ page, client }) => {
  await lamp(page, "salon", false).waitFor();
  assert.equal(await glows(page, "salon"), false);
  await lamp(page, "salon", false).click();
  await lamp(page, "salon", true).waitFor();
  assert.equal(await glows(page, "salon"), true);
  assert.deepEqual((await states(client)).lights["salon"], true);
  await page.getByText(/Lights on: 1 of \d+/).waitFor();
  // It is shown as switched before the answer to its call, and takes no other until then.
  await page.locator('[aria-label="Light salon"][aria-busy="false"]').waitFor();
  await lamp(page, "salon", true).click();
  await lamp(page, "salon", false).waitFor();
  assert.deepEqual((await states(client)).lights["salon"], false);
});

inConsole("a lamp that is turned on over the line protocol glows without reloading", {}, async ({ page, hub }) => {
  await lamp(page, "cocina", false).waitFor();
  await page.evaluate("globalThis.isTheSamePage = true");
  const data = ["--data", join(hub.folder, "data")];
  const programs = {
    cocina: ["simulate", "--mcp", ...data],
    salon: ["stdio", "--line", ...data, "--config", hub.configFile],
  };
  for (const [name, args] of Object.entries(programs)) {
    const session = new LineSession(args, hub.folder);
    await session.next();
    assert.deepEqual(await session.ask(callLine(1, "set_light_state", { name, on: true })), [
      resultLine(1, { ok: true }),
    ]);
    await lamp(page, name, true).waitFor();
    assert.equal(await glows(page, name), true, args[0]);
    await session.end();
  }
  assert.equal(await page.evaluate("globalThis.isTheSamePage"), true);
});

inConsole("a lamp that any client turns on over MCP glows, too", {}, async ({ page, client }) => {
  await lamp(page, "salon", false).waitFor();
  await client.textOf("/mcp", "set_light_state", { name: "salon", on: true });
  await lamp(page, "salon", true).waitFor();
});

inConsole("the alarm is armed by a click, and by a call", {}, async ({ page, client }) => {
  const alarm = (checked: boolean): Locator => page.getByRole("switch", { name: "Alarm", exact: true, checked });
  await alarm(false).click();
  await alarm(true).waitFor();
  await page.getByText("Armed", { exact: true }).waitFor();
  assert.equal((await states(client)).alarm, true);
  await client.textOf("/mcp", "set_alarm_state", { armed: false });
  await alarm(false).waitFor();
});

inConsole("who is at home is said here, and what was said elsewhere is shown", {}, async ({ page, client }) => {
  await page.getByText("Nobody is at home.").waitFor();
  await page.getByLabel("Who came home?").fill("Ana, Luis");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("At home: Ana and Luis.").waitFor();
  assert.deepEqual((await states(client)).presence, { present: true, known_people: ["Ana", "Luis"] });
  await page.getByRole("button", { name: "Mark Luis as away" }).click();
  await page.getByText("At home: Ana.").waitFor();
  await client.done("PUT", "/house/presence", { people: [] });
  await page.getByText("Nobody is at home.").waitFor();
});

inConsole("a house that is switched off says how to have one", { config: { devices: { house: false } } }, ({ page }) =>
  page.getByText("There is no simulated house").waitFor(),
);

let home: SimulatedHome;

async function withHome(later: Later): Promise<SettingOptions> {
  home = await startHomeAssistant();
  later(() => home.stop());
  return { config: { homeAssistant: { url: home.url, token: home.token } }, args: ["--allow-private"] };
}

inConsole(
  "a Home Assistant is shown by area and switched here; what its people do is seen",
  withHome,
  async (setting) => {
    const { page } = setting;
    await page.getByText("Living Room").first().waitFor();
    home.register("light.salon_lamp", { area: "living_room" });
    const lampOf = (checked: boolean): Locator =>
      page.getByRole("switch", { name: "Lampe Salon", exact: true, checked });
    await until("the lamp can be seen", async () => {
      await openAllAreas(page);
      return lampOf(false).first().isVisible();
    });
    await lampOf(false).first().click();
    await lampOf(true).first().waitFor();
    assert.equal(home.state("light.salon_lamp")?.state, "on");
    home.setState("light.salon_lamp", "off");
    await lampOf(false).first().waitFor();
  },
);

/** An area may be folded. */
async function openAllAreas(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
}

inConsole("a device that dials in appears, and goes when it leaves", {}, async ({ page, hub, later }) => {
  await page.getByRole("heading", { name: "Devices" }).waitFor();
  const device = await dialFirmware({ url: hub.url, path: "/xiaozhi/v1/" });
  later(() => device.close());
  const row = page.getByRole("region", { name: "Devices" }).getByRole("listitem");
  await row.first().waitFor();
  assert.equal(await row.count(), 1);
  await device.close();
  await row.first().waitFor({ state: "detached" });
});
