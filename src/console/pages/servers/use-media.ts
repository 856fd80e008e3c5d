/** Whether the screen is so, and from then on whenever that changes. */
import { useEffect, useState } from "preact/hooks";

export function useMedia(question: string): boolean {
  const [fits, setFits] = useState(() => matchMedia(question).matches);
  useEffect(() => {
    const media = matchMedia(question);
    const look = (): void => setFits(media.matches);
    look();
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, [question]);
  return fits;
}
