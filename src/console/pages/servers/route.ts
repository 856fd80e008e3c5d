/** Which part of the page the address means, and addresses of its parts. */
import { linkTo } from "../../kit/router.ts";

export const WAYS = ["form", "paste", "openapi"] as const;
export type Way = (typeof WAYS)[number];

export type View =
  | { readonly kind: "list" }
  | { readonly kind: "add"; readonly way: Way }
  | { readonly kind: "one"; readonly name: string };

/** A server may be called "add": its own view says that it is one. */
const ONE = "server";

export function viewOf(parts: readonly string[], query: URLSearchParams): View {
  const [name = "", way] = parts;
  if (name === "") return { kind: "list" };
  if (name !== "add" || query.has(ONE)) return { kind: "one", name };
  return { kind: "add", way: WAYS.find((known) => known === way) ?? "form" };
}

export function serverLink(name: string): string {
  return linkTo("servers", name) + (name === "add" ? `?${ONE}` : "");
}

export function addLink(way: Way): string {
  return linkTo("servers", "add", way);
}

export function toolsLink(name: string): string {
  return `${linkTo("tools")}?${new URLSearchParams({ server: name })}`;
}

export function goTo(link: string): void {
  location.hash = link;
}
