/** iCalendar's tree: components that hold lines and other components. Bounded, since the text is a stranger's. */
import { Unfit } from "../refusal.ts";
import { type ContentLine, parseLine } from "./content-line.ts";
import { unfolded } from "./lines.ts";

export interface Component {
  /** In capitals: "VEVENT". */
  readonly name: string;
  readonly lines: readonly ContentLine[];
  readonly parts: readonly Component[];
}

interface Growing extends Component {
  readonly lines: ContentLine[];
  readonly parts: Growing[];
}

const MOST_DEPTH = 8;

/** The calendars in a text. Throws `Unfit` where it has none, or is cut off. Lines that are none are left out. */
export function calendarsIn(text: string): readonly Component[] {
  const root: Growing = { name: "", lines: [], parts: [] };
  const open: Growing[] = [root];
  let number = 0;
  for (const line of unfolded(text)) {
    number = line.number;
    const parsed = parseLine(line.text);
    if (parsed) take(open, parsed, number);
  }
  const left = open.length > 1 ? open.at(-1) : undefined;
  if (left) throw new Unfit("calendar.icsUnclosed", { line: number, name: left.name });
  const calendars = root.parts.filter(({ name }) => name === "VCALENDAR");
  if (calendars.length === 0) throw new Unfit("calendar.notIcs");
  return calendars;
}

export function lineIn({ lines }: Component, name: string): ContentLine | undefined {
  return lines.find((line) => line.name === name);
}

export function linesIn({ lines }: Component, name: string): readonly ContentLine[] {
  return lines.filter((line) => line.name === name);
}

export function partsIn({ parts }: Component, name: string): readonly Component[] {
  return parts.filter((part) => part.name === name);
}

function take(open: Growing[], line: ContentLine, number: number): void {
  const current = open.at(-1);
  const name = line.value.trim().toUpperCase().slice(0, 40);
  if (line.name === "BEGIN") {
    if (open.length > MOST_DEPTH) throw new Unfit("calendar.icsUnclosed", { line: number, name });
    const part: Growing = { name, lines: [], parts: [] };
    current?.parts.push(part);
    open.push(part);
  } else if (line.name === "END") {
    if (open.length === 1 || current?.name !== name) throw new Unfit("calendar.icsUnclosed", { line: number, name });
    open.pop();
  } else {
    current?.lines.push(line);
  }
}
