/** The frame around every page: what there is, where one is, and whether the hub is there. */
import { Component, type ComponentType, type VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Problem, toProblem } from "./kit/api.ts";
import { visible } from "./kit/hidden.ts";
import { type Children, html } from "./kit/html.ts";
import { Icon } from "./kit/icon.ts";
import { keyWanted } from "./kit/key.ts";
import { hub, link, me } from "./kit/live.ts";
import { Badge, ProblemBox, Progress, Toasts, type Tone } from "./kit/parts.ts";
import { linkTo, useRoute } from "./kit/router.ts";
import { useStore } from "./kit/store.ts";
import { titleOf, titlePart, useArrival } from "./kit/view.ts";
import { language, t } from "./kit/words.ts";
import { PAGES, type PageEntry } from "./pages.ts";
import { KeyPrompt, Settings } from "./settings.ts";

const LINK_TONES: Readonly<Record<"connecting" | "open" | "lost" | "locked", Tone>> = {
  connecting: "busy",
  open: "good",
  lost: "bad",
  locked: "warn",
};

export function App(): VNode {
  // Drawn anew in another language, but not begun anew: what was typed, made or chosen is still there.
  useStore(language);
  const wanted = useStore(keyWanted);
  const { page, parts } = useRoute();
  const entry = PAGES.find(({ name }) => name === page) ?? (PAGES[0] as PageEntry);
  const place = [entry.name, ...parts].join("/");
  return html`<div class="frame">
    <a class="skip" href="#main" onClick=${skipToMain}>${t("nav.skip")}</a>
    <${Header} />
    <${Navigation} current=${entry.name} />
    <main id="main" tabindex="-1">${wanted ? html`<${KeyPrompt} />` : html`<${Arrived} entry=${entry} place=${place} />`}</main>
    <${Toasts} />
  </div>`;
}

/** Moves the focus without changing the address, in which the part behind `#` names the page. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Header(): VNode {
  const tried = useStore(link);
  // A hub that asks for a key is reachable: that is not "lost".
  const state = useStore(keyWanted) ? "locked" : tried;
  const known = useStore(hub);
  const self = useStore(me);
  return html`<header class="top">
    <a class="brand" href="#/"><img src="console/icon.svg" alt="" width="28" height="28" /> Zaguan</a>
    <span class="muted version">${known?.version}</span>
    <${Badge} tone=${LINK_TONES[state]}>${t(`link.${state}`)}</${Badge}>
    <span class="grow"></span>
    ${self && html`<span class="muted who">${self.kind === "local" ? t("nav.local") : t("nav.signedIn", { name: self.name })}</span>`}
    <${Settings} />
  </header>`;
}

/** The menu. On a narrow screen it is a strip that scrolls: the current page is brought to its middle. */
function Navigation({ current }: { current: string }): VNode {
  const strip = useRef<HTMLElement>(null);
  const isCluster = useStore(hub)?.node !== undefined;
  useEffect(() => {
    const here = strip.current?.querySelector<HTMLElement>("[aria-current]");
    if (strip.current && here)
      strip.current.scrollLeft = here.offsetLeft - (strip.current.clientWidth - here.offsetWidth) / 2;
  }, [current]);
  return html`<nav ref=${strip} class="side" aria-label=${t("nav.label")}>
    <ul>
      ${PAGES.filter(({ isOfCluster = false }) => isCluster || !isOfCluster).map(
        ({ name, title }) => html`<li key=${name}>
          <a href=${linkTo(name)} aria-current=${name === current ? "page" : undefined}><${Icon} name=${name} /> ${t(title)}</a>
        </li>`,
      )}
    </ul>
  </nav>`;
}

interface Here {
  readonly entry: PageEntry;
  readonly place: string;
}

/** A page under its title, which takes the focus when one comes to another page, so that screen readers read it. */
function Arrived({ entry, place }: Here): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const title = t(entry.title);
  const part = useStore(titlePart);
  useArrival(heading, entry.name);
  useEffect(() => {
    document.title = visible(titleOf(part, title));
  }, [part, title]);
  return html`<h1 ref=${heading} class="page-title" tabindex="-1">${title}</h1>
    <${CurrentPage} key=${entry.name} entry=${entry} place=${place} />`;
}

/** Loads the page and draws it; what fails in it does not take the menu with it. */
function CurrentPage({ entry, place }: Here): VNode {
  const [page, setPage] = useState<ComponentType>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    entry.load().then(
      (loaded) => setPage(() => loaded),
      (cause) => setProblem(toProblem(cause)),
    );
  }, [entry]);
  return html`${problem && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
    ${!problem && !page && html`<${Progress} label=${t("nav.loading")} />`}
    ${page && html`<${Boundary} place=${place} failed=${drawFailed}><${page} /></${Boundary}>`}`;
}

function drawFailed(error: unknown, again: () => void): VNode {
  return html`<div class="problem" role="alert">
    <p><strong>${t("failed.title")}</strong></p>
    <p>${t("failed.text")}</p>
    <p><code>${String(error)}</code></p>
    <div class="row">
      <button type="button" class="button" onClick=${again}>${t("problem.retry")}</button>
      <button type="button" class="button" onClick=${reload}>${t("failed.reload")}</button>
    </div>
  </div>`;
}

/** Loads the whole console again, since a browser does not ask again for a module that it could not get. */
function reload(): void {
  location.reload();
}

interface BoundaryProps {
  /** The address of what is shown: when it changes, the page is drawn again. */
  readonly place: string;
  readonly failed: (error: unknown, again: () => void) => VNode;
  readonly children?: Children;
}

interface Failure {
  readonly error: unknown;
}

/** Catches errors thrown while a page is drawn, and shows what `failed` draws of them in its place. */
class Boundary extends Component<BoundaryProps, { readonly failure?: Failure | undefined }> {
  static override getDerivedStateFromError(error: unknown): { failure: Failure } {
    return { failure: { error } };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override componentDidUpdate({ place }: BoundaryProps): void {
    if (this.state.failure && place !== this.props.place) this.#again();
  }

  override render({ children, failed }: BoundaryProps): Children {
    const { failure } = this.state;
    return failure ? failed(failure.error, () => this.#again()) : children;
  }

  #again(): void {
    this.setState({ failure: undefined });
  }
}
