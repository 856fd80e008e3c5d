/** A person without a mouse: who goes from one thing to the next by Tab, and sees where they are. */
import assert from "node:assert/strict";
import type { Page } from "./playwright.ts";

const MOST_STEPS = 120;

interface Focused {
  readonly name: string;
  readonly tag: string;
  readonly isVisible: boolean;
}

/** What has the focus, by what it is called, and whether that can be seen. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  const labels = [...(element.labels ?? [])].map((label) => label.innerText);
  const by = (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.innerText);
  const name = element.getAttribute("aria-label") || by.join(" ").trim() || labels.join(" ") || element.innerText || "";
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const isOutlined = outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  return { name: name.trim(), tag: element.tagName, isVisible: isOutlined || boxShadow !== "none" };
})()`;

export function focused(page: Page): Promise<Focused> {
  return page.evaluate<Focused>(FOCUSED);
}

/** Presses Tab until something of this name has the focus; every stop on the way must be seen. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const fits = (one: string): boolean => (typeof name === "string" ? one === name : name.test(one));
  const passed: string[] = [];
  for (let step = 0; step < MOST_STEPS; step++) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    assert.ok(now.isVisible || now.tag === "BODY", `nobody sees that ${now.tag} "${now.name}" has the focus`);
    if (fits(now.name)) return;
    passed.push(`${now.tag} ${now.name.slice(0, 40)}`);
  }
  assert.fail(`Tab does not lead to ${name}; it led to: ${passed.join(", ")}`);
}

/** Tab, then this key. */
export async function reach(page: Page, name: string | RegExp, key = "Enter"): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

/** Tab to a field, and type. */
export async function enter(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.type(text);
}
