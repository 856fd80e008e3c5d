/** A hub that asks for a key: the page asks for one, says when it is wrong, and forgets it when it is told to. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runZaguan } from "../support/run-zaguan.ts";
import type { SpawnedZaguan } from "../support/spawn-zaguan.ts";
import { inConsole, type Setting } from "./support/setting.ts";

const LOCKED = { config: { auth: { requireKey: true } }, unopened: true };

async function keyOf({ folder }: SpawnedZaguan, ...options: readonly string[]): Promise<string> {
  const args = ["key", "create", ...options, "--data", join(folder, "data")];
  const { stdout, stderr } = await runZaguan(args, folder);
  return /zgn_\S+/.exec(stdout)?.[0] ?? assert.fail(stdout + stderr);
}

/** The page asks; nothing of the house can be seen. */
async function asked({ page, visit }: Setting): Promise<void> {
  visit.expect(/401/);
  await page.goto(visit.url);
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Simulated house" }).count(), 0);
}

async function enter({ page }: Setting, key: string, isKept = false): Promise<void> {
  await page.getByLabel("Key", { exact: true }).fill(key);
  if (isKept) await page.getByLabel("Keep it in this browser").check();
  await page.getByRole("button", { name: "Enter" }).click();
}

inConsole("a wrong key is named as such, the right one opens, and it goes with the tab", LOCKED, async (setting) => {
  const { hub, page, visit } = setting;
  const key = await keyOf(hub, "tablet", "--admin");
  await asked(setting);
  await enter(setting, "zgn_wrong");
  await page.getByText("This key is invalid or revoked.").waitFor();
  await enter(setting, key);
  await visit.live();
  await page.getByText("Signed in: tablet").waitFor();
  await page.getByText("Simulated house").waitFor();
  await page.reload();
  await visit.live();
  await page.getByText("Signed in: tablet").waitFor();
  const other = await page.context().newPage();
  await other.goto(visit.url);
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await page.evaluate("JSON.stringify(Object.entries(localStorage)).includes('zgn_')"), false);
});

inConsole("a key that is kept is known to the next tab, until it is forgotten", LOCKED, async (setting) => {
  const { hub, page, visit } = setting;
  const key = await keyOf(hub, "tablet", "--admin");
  await asked(setting);
  await enter(setting, key, true);
  await visit.live();
  const other = await page.context().newPage();
  await other.goto(visit.url);
  await other.getByText("Signed in: tablet").waitFor();
  await other.close();
  await page.getByRole("button", { name: "Forget the key" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.ok(!(await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage])")).includes("zgn_"));
  assert.ok(!(await page.content()).includes("Simulated house"));
});

inConsole("a key that is revoked while the page is open is asked for again", LOCKED, async (setting) => {
  const { hub, page, visit, client } = setting;
  const [key, other] = [await keyOf(hub, "tablet", "--admin"), await keyOf(hub, "desk", "--admin")];
  await asked(setting);
  await enter(setting, key);
  await visit.live();
  // Its stream is cut in the middle.
  visit.expect(/ERR_INCOMPLETE_CHUNKED_ENCODING/);
  await client.withKey(other).done("DELETE", "/keys/tablet");
  await page.getByText("This key is invalid or revoked.").waitFor();
  assert.equal(await page.getByText("Simulated house").count(), 0, "what was seen with it is gone");
});

inConsole("who may use some tools only sees those, and that the rest is not for it", LOCKED, async (setting) => {
  const { hub, client, page, visit } = setting;
  const owner = client.withKey(await keyOf(hub, "owner", "--admin"));
  const { key } = await owner.done("POST", "/keys", { name: "guest", allow: ["house__get_*"] });
  await asked(setting);
  await enter(setting, key);
  await visit.live();
  await visit.turnTo("Tools");
  await page.getByText("get_presence").first().waitFor();
  assert.equal(await page.getByText("set_light_state").count(), 0);
  for (const title of ["House", "Servers", "Agents and keys", "Calls", "Metrics", "Connect"]) {
    await visit.turnTo(title);
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
  }
});

inConsole("a key without --admin sees what there is, and is told what it cannot change", LOCKED, async (setting) => {
  const { hub, client, page, visit } = setting;
  const owner = client.withKey(await keyOf(hub, "owner", "--admin"));
  await owner.agent("cook", "house__get_presence");
  await asked(setting);
  await enter(setting, await keyOf(hub, "plain"));
  await visit.live();
  await visit.turnTo("Servers");
  const servers = page.getByText("Adding, editing and restarting servers needs a key with --admin.");
  await servers.first().waitFor();
  assert.equal(await page.getByRole("link", { name: "Add a server" }).count(), 0);
  await page.goto(`${visit.url}#/servers/house`);
  await page.getByRole("heading", { level: 2, name: "house" }).waitFor();
  for (const name of ["Restart", "Remove"]) {
    assert.ok(await page.getByRole("button", { name, exact: true }).isDisabled(), name);
  }
  await page.goto(`${visit.url}#/servers/add/form`);
  await servers.waitFor();
  assert.equal(await page.getByRole("textbox").count(), 0);
  await visit.turnTo("Agents and keys");
  await page.getByText("Creating and editing agents needs a key with --admin.").waitFor();
  assert.ok(await page.getByRole("button", { name: "New agent" }).isDisabled());
  await page.getByRole("link", { name: "cook" }).click();
  await page.getByRole("switch").first().waitFor();
  assert.ok(await page.getByRole("switch").first().isDisabled());
  for (const name of ["Edit", "Remove"]) {
    assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
  }
});
