/** Whose tools they are: every loading of a module has a number, which stands in the addresses of all that it imports. */
import { checkTool } from "./check.ts";
import type { AddTool } from "./tool.ts";

const NUMBER = /[?&]tools=(\d+)/;

/** One loading of one module, and of what belongs to it. */
export interface Loading {
  readonly number: number;
  readonly addTool: AddTool;
  /** It is about to read this file. */
  onFile(path: string): void;
  /** It imports what is not there. */
  onMissing(specifier: string, importer: string): void;
}

const LOADINGS = new Map<number, Loading>();

/** For good, as the module itself: it may import more at any time. */
export function enrol(loading: Loading): void {
  LOADINGS.set(loading.number, loading);
}

export function loadingOf(url: string): Loading | undefined {
  const [, number] = NUMBER.exec(url) ?? [];
  return number === undefined ? undefined : LOADINGS.get(Number(number));
}

/** The URL with the number of this loading in its query. */
export function numbered(url: string, { number }: Loading): string {
  const own = new URL(url);
  own.searchParams.set("tools", String(number));
  return own.href;
}

export function addToolOf(url: string): AddTool {
  return loadingOf(url)?.addTool ?? addToNobody;
}

/** A module of tools may be run by itself, by its author's own tests: it is checked, and told that nobody offers it. */
const addToNobody: AddTool = (tool) => {
  checkTool(tool);
  process.emitWarning(`addTool("${tool.name}"): no hub reads this module; put it into the hub's folder of tools`);
};
