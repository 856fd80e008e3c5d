/** `_pick`: a caller's JSONPath, refused before anything is sent if it is none. */
import { Refusal, wrongArgument } from "./refusal.ts";

export interface JsonAnswer {
  readonly text: string;
  readonly value: unknown;
}

/** Throws if the path is none; what it gives back throws if it would be too much to select. */
export type Picker = (path: string) => (answer: JsonAnswer) => string;
export type LoadPicker = () => Promise<Picker>;

export async function pickFor(path: unknown, load: LoadPicker): Promise<(answer: JsonAnswer) => string> {
  const pick = typeof path === "string" ? compiled(await load(), path) : undefined;
  if (!pick) throw wrongArgument("api.pickForm");
  return (answer) => {
    try {
      return pick(answer);
    } catch {
      throw new Refusal("api.pickTooMuch", {}, "executed");
    }
  };
}

function compiled(picker: Picker, path: string): ReturnType<Picker> | undefined {
  try {
    return picker(path);
  } catch {
    return undefined;
  }
}
