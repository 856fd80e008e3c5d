/** The filter as it is typed; the address follows when the typing rests, and leads when somebody follows a link. */
import { useEffect, useRef, useState } from "preact/hooks";
import { linkTo, useRoute } from "../../kit/router.ts";
import { type CallFilter, filterIn, queryOf } from "./filter.ts";

const REST_MS = 200;

export function useFilter(): readonly [CallFilter, (filter: CallFilter) => void] {
  const { parts, query } = useRoute();
  const [filter, setFilter] = useState(() => filterIn(query));
  const written = useRef(queryOf(filter));
  useEffect(() => {
    const asked = queryOf(filterIn(query));
    if (asked === written.current) return;
    written.current = asked;
    setFilter(filterIn(query));
  }, [query]);
  useEffect(() => {
    const wanted = queryOf(filter);
    if (wanted === written.current) return;
    const timer = setTimeout(() => {
      written.current = wanted;
      // Not one step back for every letter.
      location.replace(`${linkTo("calls", ...parts)}${wanted}`);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [filter, parts]);
  return [filter, setFilter];
}
