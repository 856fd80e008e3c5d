/** Elements as they are written in HTML, checked by the browser's own eyes: no compiler stands between file and page. */
import htm from "htm";
import { type ComponentChildren, h, type VNode } from "preact";

type Html = (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

/** Its types describe another kind of module than the one that browsers load. */
export const html: Html = (htm as unknown as { bind(make: typeof h): Html }).bind(h);

export type Children = ComponentChildren;
