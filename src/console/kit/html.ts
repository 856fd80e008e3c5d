/**
 * Elements as they are written in HTML, checked by the browser's own eyes: no compiler stands between file and page. Every
 * text on the page comes by here, so that characters which cannot be seen are shown wherever they come from.
 */
import htm from "htm";
import { type ComponentChildren, h, type VNode } from "preact";
import { codePoint, splitAtHidden, visible } from "./hidden.ts";

type Html = (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
type Props = Readonly<Record<string, unknown>> | null;

/** Values of a template have any type: the compiler does not check templates. */
const make = h as unknown as (type: unknown, props: Props, ...children: readonly unknown[]) => VNode;
/** Elements that hold text and nothing else. */
const TEXT_ALONE = new Set(["option", "title", "textarea"]);
/** Attributes that people read, or hear. */
const READ = ["title", "aria-label", "placeholder", "alt"];

/** The types of `htm` describe its CommonJS module, not the one that browsers load. */
export const html: Html = (htm as unknown as { bind(make: typeof element): Html }).bind(element);

export type Children = ComponentChildren;

function element(type: unknown, props: Props, ...children: readonly unknown[]): VNode {
  if (typeof type !== "string") return make(type, props, ...children);
  return make(type, seenProps(props), ...children.map((child) => seen(child, TEXT_ALONE.has(type))));
}

function seen(child: unknown, textAlone: boolean): unknown {
  if (Array.isArray(child)) return child.map((one) => seen(one, textAlone));
  if (typeof child !== "string") return child;
  return textAlone ? visible(child) : (splitAtHidden(child)?.map(marked) ?? child);
}

/** Every second piece is a hidden character. */
function marked(piece: string, place: number): string | VNode {
  return place % 2 === 0 ? piece : make("span", { class: "hidden-character" }, `⟨${codePoint(piece)}⟩`);
}

function seenProps(props: Props): Props {
  const unseen = READ.filter((name) => typeof props?.[name] === "string" && visible(props[name]) !== props[name]);
  if (unseen.length === 0) return props;
  return { ...props, ...Object.fromEntries(unseen.map((name) => [name, visible(String(props?.[name]))])) };
}
