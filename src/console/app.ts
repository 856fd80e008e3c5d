/** The frame around every page: what there is, where one is, and whether the hub is there. */
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { KeyPrompt } from "./key-prompt.ts";
import { html } from "./kit/html.ts";
import { Icon } from "./kit/icon.ts";
import { keyWanted } from "./kit/key.ts";
import { hub, link, me } from "./kit/live.ts";
import { Badge, ProblemBox, Progress, type Tone } from "./kit/parts.ts";
import { type Problem, toProblem } from "./kit/problem.ts";
import { linkTo, useRoute } from "./kit/router.ts";
import { useStore } from "./kit/store.ts";
import { Toasts } from "./kit/toast.ts";
import { language, t } from "./kit/words.ts";
import { PAGES, type PageEntry } from "./pages.ts";
import { Settings } from "./settings.ts";

const LINK_TONES: Readonly<Record<"connecting" | "open" | "lost", Tone>> = {
  connecting: "busy",
  open: "good",
  lost: "bad",
};

export function App(): VNode {
  const spoken = useStore(language);
  const wanted = useStore(keyWanted);
  const { page } = useRoute();
  const entry = PAGES.find(({ name }) => name === page) ?? (PAGES[0] as PageEntry);
  return html`<div class="frame" key=${spoken}>
    <a class="skip" href="#main" onClick=${skipToMain}>${t("nav.skip")}</a>
    <${Header} />
    <${Navigation} current=${entry.name} />
    <main id="main" tabindex="-1">${wanted ? html`<${KeyPrompt} />` : html`<${CurrentPage} key=${entry.name} entry=${entry} />`}</main>
    <${Toasts} />
  </div>`;
}

/** Not by the address: what stands behind its `#` is the page. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Header(): VNode {
  const state = useStore(link);
  const known = useStore(hub);
  const self = useStore(me);
  return html`<header class="top">
    <a class="brand" href="#/"><img src="console/icon.svg" alt="" width="28" height="28" /> Zaguan</a>
    <span class="muted version">${known?.version}</span>
    <${Badge} tone=${LINK_TONES[state]}>${t(`link.${state}`)}</${Badge}>
    <span class="grow"></span>
    ${self && html`<span class="muted who">${t("nav.signedIn", { name: self.name })}</span>`}
    <${Settings} />
  </header>`;
}

function Navigation({ current }: { current: string }): VNode {
  return html`<nav class="side" aria-label=${t("nav.label")}>
    <ul>
      ${PAGES.map(
        ({ name, title }) => html`<li key=${name}>
          <a href=${linkTo(name)} aria-current=${name === current ? "page" : undefined}><${Icon} name=${name} /> ${t(title)}</a>
        </li>`,
      )}
    </ul>
  </nav>`;
}

/** The title says the new page to those who cannot see it. */
function CurrentPage({ entry }: { entry: PageEntry }): VNode {
  const [page, setPage] = useState<ComponentType>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    document.title = `${t(entry.title)} · Zaguan`;
    entry.load().then(
      (loaded) => setPage(() => loaded),
      (cause) => setProblem(toProblem(cause)),
    );
  }, [entry]);
  return html`<h1 class="page-title">${t(entry.title)}</h1>
    ${problem ? html`<${ProblemBox} problem=${problem} retry=${reload} />` : page ? html`<${page} />` : html`<${Progress} label=${t("nav.loading")} />`}`;
}

/** A browser does not ask again for a module that it could not get. */
function reload(): void {
  location.reload();
}
