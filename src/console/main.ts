/** Where the page begins: its language, its first look, and from then on the hub's own events. */
import { render } from "preact";
import { App } from "./app.ts";
import { html } from "./kit/html.ts";
import { follow } from "./kit/live.ts";
import { firstLanguage, speak } from "./kit/words.ts";

const place = document.getElementById("console");
if (place) {
  await speak(firstLanguage());
  void follow();
  render(html`<${App} />`, place);
}
