/** Figures in the console: the numbers of `/metrics`, drawn, and as tables for those who cannot see a drawing. */
import { until } from "../support/processes.ts";
import { PrometheusText } from "../support/prometheus-text.ts";
import type { RegistryClient } from "../support/registry-client.ts";
import type { Page } from "./support/playwright.ts";
import { inConsole } from "./support/setting.ts";
import { untilInPage } from "./support/until-in-page.ts";

async function counted(client: RegistryClient): Promise<number> {
  const metrics = new PrometheusText((await client.get("/metrics")).text);
  return metrics.all("zaguan_calls_total").reduce((sum, { value }) => sum + value, 0);
}

/** What stands beside a term. */
function besides(page: Page, term: string): Promise<string> {
  return page.evaluate<string>(`[...document.querySelectorAll("main dt")]
    .find((one) => one.textContent.trim() === ${JSON.stringify(term)})?.parentElement.querySelector("dd")?.textContent.trim()`);
}

inConsole("the numbers are those of /metrics, and follow what happens", { at: "#/figures" }, async (setting) => {
  const { page, client } = setting;
  for (let call = 0; call < 7; call++) await client.call("/mcp", "get_presence", {});
  await client.call("/mcp", "set_light_state", { name: 7 });
  await until("all are counted", async () => (await counted(client)) === 8);
  await until("all are shown", async () => (await besides(page, "Calls")) === "8");
  await until("so is how many failed", async () => /12[.,]5/.test(await besides(page, "Error share")));
});

inConsole(
  "each figure is drawn, and is a table where that is wanted",
  { at: "#/figures" },
  async ({ page, client }) => {
    await client.call("/mcp", "get_presence", {});
    for (const name of ["Throughput", "Latency", "Queue", "Cache", "Errors", "Memory"]) {
      const figure = page.locator("figure").filter({ has: page.getByRole("heading", { name, exact: true }) });
      await figure.locator("canvas").waitFor();
      await figure.getByRole("button", { name: "Show as a table" }).click();
      await figure.getByRole("table").waitFor();
      await figure.getByRole("row").nth(1).waitFor();
    }
  },
);

inConsole("a drawing follows light and dark", { at: "#/figures" }, async ({ page }) => {
  await page.locator("figure canvas").first().waitFor();
  const picture = (): Promise<string> => page.evaluate<string>("document.querySelector('figure canvas').toDataURL()");
  const light = await picture();
  await page.getByLabel("Colours").selectOption({ label: "Dark" });
  await untilInPage(page, `document.querySelector("figure canvas").toDataURL() !== ${JSON.stringify(light)}`);
});
