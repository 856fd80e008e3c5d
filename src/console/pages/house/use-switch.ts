/** Something that is on or off and was pressed: it is under way until the house shows it, or says why not. */
import { useState } from "preact/hooks";
import { type Problem, toProblem } from "../../kit/problem.ts";

interface Switch {
  /** What it is going to be; undefined while nothing is under way. */
  readonly wanted: boolean | undefined;
  press(): void;
}

/** `report` is told of a failure, and of nothing when it begins anew. */
export function useSwitch(
  isOn: boolean,
  turn: (on: boolean) => Promise<void>,
  report: (problem: Problem | undefined) => void,
): Switch {
  const [wanted, setWanted] = useState<boolean>();
  const press = async (): Promise<void> => {
    setWanted(!isOn);
    report(undefined);
    try {
      await turn(!isOn);
    } catch (cause) {
      report(toProblem(cause));
    } finally {
      setWanted(undefined);
    }
  };
  return { wanted, press: () => void (wanted === undefined && press()) };
}
