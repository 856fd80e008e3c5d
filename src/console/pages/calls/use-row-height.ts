/** How high a row is: one line where there is room, three on a narrow screen; more where the reader's letters are larger. */
import { useEffect, useState } from "preact/hooks";

const NARROW = "(width < 78rem)";
const REMS = { wide: 2.75, narrow: 4.75 } as const;

interface RowHeight {
  readonly isNarrow: boolean;
  readonly rowHeight: number;
}

export function useRowHeight(): RowHeight {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const look = (): void => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return { isNarrow, rowHeight: Math.round(rem * (isNarrow ? REMS.narrow : REMS.wide)) };
}
