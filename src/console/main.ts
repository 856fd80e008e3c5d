/** Where the page begins: its language, its first look, and from then on the hub's own events. */
import { render } from "preact";
import { App } from "./app.ts";
import { html } from "./kit/html.ts";
import { follow } from "./kit/live.ts";
import { firstLanguage, speak } from "./kit/words.ts";

const AGAIN_MS = 2_000;

const place = document.getElementById("console");
if (place) {
  await firstWords(place);
  void follow();
  render(html`<${App} />`, place);
}

/** Without words there is nothing to say but that something is under way: a page that stays empty would say less. */
async function firstWords(place: HTMLElement): Promise<void> {
  for (;;) {
    try {
      return await speak(firstLanguage());
    } catch {
      render(html`<div class="key-prompt"><progress aria-label="Zaguan"></progress></div>`, place);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
