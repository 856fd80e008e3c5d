/** The frame around all pages: the way to each, four languages, light and dark, and that both are remembered. */
import assert from "node:assert/strict";
import { PAGES } from "./support/pages.ts";
import type { Page } from "./support/playwright.ts";
import { inConsole } from "./support/setting.ts";
import { untilInPage } from "./support/until-in-page.ts";

inConsole("a first start shows the house, and every page opens from the menu", {}, async ({ page, visit }) => {
  await page.getByRole("heading", { level: 1, name: "House" }).waitFor();
  await untilInPage(page, "document.title === 'House · Zaguan'");
  for (const { name, title } of PAGES) {
    await visit.turnTo(title);
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
    // Written when the page is drawn, a moment after its heading.
    await untilInPage(page, `document.title === ${JSON.stringify(`${title} · Zaguan`)}`);
    const current = page.getByRole("navigation", { name: "Pages" }).locator("[aria-current=page]");
    await current.filter({ hasText: title }).waitFor();
    assert.equal(await current.count(), 1);
    assert.ok(page.url().endsWith(`#/${name}`), page.url());
  }
});

inConsole("an address that leads nowhere leads home", { at: "#/nowhere/at/all" }, async ({ page }) => {
  await page.getByRole("heading", { level: 1, name: "House" }).waitFor();
});

/** The menu's names for the pages, and one text of the first page, in each language. */
const SPOKEN = {
  en: { own: "English", menu: ["House", "Servers", "Tools"], text: "Simulated house", field: "Language" },
  es: { own: "Español", menu: ["Casa", "Servidores", "Herramientas"], text: "Casa simulada", field: "Idioma" },
  fr: { own: "Français", menu: ["Maison", "Serveurs", "Outils"], text: "Maison simulée", field: "Langue" },
  zh: { own: "中文", menu: ["家居", "服务器", "工具"], text: "模拟家居", field: "语言" },
} as const;

async function assertSpoken(page: Page, language: keyof typeof SPOKEN): Promise<void> {
  const { menu, text } = SPOKEN[language];
  await page.getByText(text).first().waitFor();
  for (const name of menu) await page.getByRole("navigation").getByRole("link", { name }).first().waitFor();
  const names = await page.getByRole("navigation").getByRole("link").allTextContents();
  assert.deepEqual(
    names.slice(0, menu.length).map((name) => name.replace(/^\S\s/, "").trim()),
    menu,
  );
  const title = `${menu[0]} · Zaguan`;
  await untilInPage(page, `document.documentElement.lang + document.title === ${JSON.stringify(language + title)}`);
}

inConsole("the language is changed at once, and remembered", {}, async ({ page, visit }) => {
  await assertSpoken(page, "en");
  let field: string = SPOKEN.en.field;
  for (const language of ["es", "fr", "zh", "en"] as const) {
    await page.getByLabel(field).selectOption({ label: SPOKEN[language].own });
    await assertSpoken(page, language);
    ({ field } = SPOKEN[language]);
    await page.reload();
    await visit.live();
    await assertSpoken(page, language);
    assert.equal(await page.getByLabel(field).inputValue(), language);
  }
});

for (const language of ["es", "fr", "zh"] as const) {
  inConsole(
    `a browser that speaks ${language} is answered in it`,
    { browser: { locale: language } },
    async ({ page }) => assertSpoken(page, language),
  );
}

/** What stands in the place of a text that is missing. */
const KEYS = new RegExp(`\\b(?:nav|key|problem|${PAGES.map(({ name }) => name).join("|")})\\.[a-z]\\w*\\b`, "g");

inConsole("every text of every page exists in every language", {}, async ({ page, visit }) => {
  for (const language of ["es", "fr", "zh"] as const) {
    await page.evaluate(`localStorage.setItem("zaguan.language", "${language}")`);
    await page.reload();
    for (const { name } of PAGES) {
      await page.evaluate(`location.hash = "#/${name}"`);
      await visit.live();
      await page.locator(`main h1`).waitFor();
      const texts = await page.locator("body").innerText();
      const keys = texts.match(KEYS);
      assert.deepEqual(keys, null, `${name} in ${language}`);
      assert.doesNotMatch(texts, /(?<!\$)\{[a-z]\w*\}|undefined|\bNaN\b|\[object/, `${name} in ${language}`);
    }
  }
});

/** Relative luminance of the page's ground, from 0 to 1. */
const GROUND = `(() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);
  return (r + g + b) / 765;
})()`;

inConsole("light and dark are chosen, and remembered from the first moment", {}, async ({ page, visit }) => {
  const ground = (): Promise<number> => page.evaluate<number>(GROUND);
  await page.emulateMedia({ colorScheme: "light" });
  // As the system is.
  await untilInPage(page, `${GROUND} > 0.8`);
  await page.emulateMedia({ colorScheme: "dark" });
  await untilInPage(page, `${GROUND} < 0.3`);
  await page.getByLabel("Colours").selectOption({ label: "Light" });
  // As it was chosen, against the system.
  await untilInPage(page, `${GROUND} > 0.8`);
  await page.reload();
  await visit.live();
  assert.ok((await ground()) > 0.8, "after a reload");
  assert.equal(await page.getByLabel("Colours").inputValue(), "light");
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByLabel("Colours").selectOption({ label: "Dark" });
  await page.addInitScript(FIRST_GROUND);
  await page.reload();
  await visit.live();
  assert.ok((await ground()) < 0.3, "after a reload");
  assert.equal(await page.evaluate("globalThis.firstTheme"), "dark", "already when the first thing was drawn");
});

/** What the theme was when the page drew its first element. */
const FIRST_GROUND = `new MutationObserver((_, observer) => {
  if (!document.querySelector(".frame")) return;
  globalThis.firstTheme = document.documentElement.dataset.theme;
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });`;
