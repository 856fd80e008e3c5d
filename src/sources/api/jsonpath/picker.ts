/** What a JSONPath selects in an answer, as a list with one value on each line. */
import { exactValue } from "../arguments.ts";
import type { JsonAnswer, Picker } from "../pick.ts";
import { Budget, TooMuch } from "./budget.ts";
import { parsePath } from "./parser.ts";
import { Selection } from "./selection.ts";

/** A value may be selected many times over, each time with all that is in it. */
const MOST_CHARACTERS = 16_777_216;

export const picker: Picker = (path) => {
  const query = parsePath(path);
  return ({ text, value }: JsonAnswer) => {
    const nodes = new Selection(exactValue(text, value), new Budget(text.length)).of(query);
    return listed(nodes);
  };
};

function listed(nodes: readonly unknown[]): string {
  let room = MOST_CHARACTERS;
  const lines = nodes.map((node) => {
    const line = `  ${JSON.stringify(node)}`;
    room -= line.length;
    if (room < 0) throw new TooMuch("the selection is too long");
    return line;
  });
  return lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n]`;
}
