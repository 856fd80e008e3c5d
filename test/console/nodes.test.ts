/** Nodes in the console: who is there, what each holds, draining one; and nothing of it where there is no cluster. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { untilSettled } from "../support/cluster/settled.ts";
import { NO_NATS, startNats } from "../support/nats.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { spawnZaguan } from "../support/spawn-zaguan.ts";
import { assertAccessible } from "./support/axe.ts";
import { inConsole, type Later, type SettingOptions } from "./support/setting.ts";

/** Two nodes; the browser is at the first. */
async function twoNodes(later: Later): Promise<SettingOptions> {
  const postgres = await startPostgres();
  later(() => postgres.dispose());
  const nats = await startNats();
  later(() => nats.stop());
  const env = {
    ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64"),
    ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64"),
  };
  const args = (name: string) => ["--database", postgres.url("nodes"), "--nats", nats.url, "--node", name];
  const other = await spawnZaguan({ env, args: args("dos") });
  later(() => other.stop());
  return { env, args: args("uno"), at: "#/nodes", browser: { bypassCSP: true } };
}

const isSkipped = NO_POSTGRES || NO_NATS;

if (isSkipped) test("the page of nodes", { skip: isSkipped }, () => {});
else
  inConsole("nodes are shown with what each holds, and one is drained and used again", twoNodes, async (setting) => {
    const { page, visit } = setting;
    const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    await row("dos").waitFor();
    await row("uno").getByText("this page").waitFor();
    // The second to come may be given what the first one holds.
    await untilSettled([setting.client], ["uno", "dos"]);
    const { sources } = (await setting.client.get("/health/cluster")).body;
    const holder: string = sources.find(({ name }: { name: string }) => name === "house").node;
    const other = holder === "uno" ? "dos" : "uno";
    await row(holder).getByRole("link", { name: "house", exact: true }).waitFor();
    await assertAccessible(page, "the nodes");
    await page.getByRole("button", { name: `Drain node ${holder}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Drain", exact: true }).click();
    await row(other).getByRole("link", { name: "house", exact: true }).waitFor();
    await row(holder).getByText("draining").waitFor();
    await row(holder).getByRole("button", { name: "Use again" }).click();
    await page.getByRole("button", { name: `Drain node ${holder}` }).waitFor();
    await setting.client.call("/mcp", "get_presence", {});
    await visit.turnTo("Calls");
    await page.getByText("· uno").first().waitFor();
    await page
      .getByRole("link", { name: /get_presence/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText("Call uno-", { exact: false }).first().waitFor();
  });

inConsole("a hub by itself has no page of nodes in its menu", {}, async ({ page }) => {
  await page.getByRole("navigation").getByRole("link", { name: "Connect" }).waitFor();
  assert.equal(await page.getByRole("navigation").getByRole("link", { name: "Nodes" }).count(), 0);
});
