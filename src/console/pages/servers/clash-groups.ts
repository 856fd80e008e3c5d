/** Tools of one name, put together by the two servers that have them. */
import type { Clash } from "../../../doors/live/views.ts";

export interface ClashGroup {
  /** Its tools have the plain names. */
  readonly keeper: string;
  /** Its tools have its name in front. */
  readonly other: string;
  readonly tools: readonly string[];
}

/** Of all servers, or of the one that is named. */
export function clashGroups(clashes: readonly Clash[], of?: string): readonly ClashGroup[] {
  const pairs = Map.groupBy(clashes, (clash) => `${clash.keeper}\n${otherOf(clash)}`);
  const groups = [...pairs].map(([pair, own]) => {
    const [keeper = "", other = ""] = pair.split("\n");
    return { keeper, other, tools: own.map(({ tool }) => tool) };
  });
  return of === undefined ? groups : groups.filter(({ keeper, other }) => keeper === of || other === of);
}

/** The name under which a tool goes instead begins with its server's; neither part has "__" in front of the tool's own. */
function otherOf({ tool, renamed }: Clash): string {
  const ending = `__${tool}`;
  return renamed.endsWith(ending) ? renamed.slice(0, -ending.length) : renamed;
}
