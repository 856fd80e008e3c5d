/** The hub goes away and comes back: the page says so, and goes on by itself. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/mqtt/mosquitto.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { inConsole, type Later, type Setting, type SettingOptions } from "./support/setting.ts";

const GONE = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

/** One that can be stopped, and come back at the same address with the same data. */
interface Away extends Setting {
  leave(): Promise<void>;
  comeBack(): Promise<SpawnedZaguan>;
}

async function inFolder(later: Later): Promise<SettingOptions> {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-away-"));
  later(() => rmSync(folder, { recursive: true, force: true }));
  // Not one that the system gives to connections: it must be free when the hub comes back.
  return { folder, args: ["--port", String(await freePort())] };
}

function whileAway(name: string, body: (away: Away) => Promise<void>): void {
  inConsole(name, inFolder, async (setting) => {
    const { hub, visit, page, later } = setting;
    visit.expect(GONE);
    await page.getByRole("switch", { name: "Light salon", checked: false }).waitFor();
    const leave = async (): Promise<void> => {
      await hub.stop();
      await page.getByText("hub not reached").waitFor();
    };
    const comeBack = async (): Promise<SpawnedZaguan> => {
      const again = await spawnZaguan({ folder: hub.folder, args: ["--port", new URL(hub.url).port] });
      later(() => again.stop());
      return again;
    };
    await body({ ...setting, leave, comeBack });
  });
}

whileAway("a hub that is stopped and started again is noticed, both times, without a reload", async (away) => {
  const { page } = away;
  await page.evaluate("globalThis.isTheSamePage = true");
  await away.leave();
  await away.comeBack();
  await page.getByText("live", { exact: true }).waitFor();
  await away.client.textOf("/mcp", "set_light_state", { name: "salon", on: true });
  await page.getByRole("switch", { name: "Light salon", checked: true }).waitFor();
  assert.equal(await page.evaluate("globalThis.isTheSamePage"), true);
});

whileAway("what is tried while the hub is away fails with a word, and works afterwards", async (away) => {
  const { page } = away;
  const lamp = page.getByRole("switch", { name: "Light salon" });
  await away.leave();
  await lamp.click();
  await page.getByText("The light salon was not switched").first().waitFor();
  assert.equal(await lamp.isChecked(), false);
  await away.comeBack();
  await page.getByText("live", { exact: true }).waitFor();
  await lamp.click();
  await page.getByRole("switch", { name: "Light salon", checked: true }).waitFor();
});

whileAway("a page that cannot be fetched says so, and is fetched when it is tried again", async (away) => {
  const { page, visit } = away;
  await away.leave();
  await page.getByRole("navigation").getByRole("link", { name: "Tools" }).click();
  await page.getByRole("alert").first().waitFor();
  await away.comeBack();
  await page.getByRole("button", { name: "Try again" }).first().click();
  await visit.live();
  await page.getByText("set_light_state").first().waitFor();
});
