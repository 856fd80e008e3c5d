/** What is looked for, in step with the address: without a step in the history for each letter that is typed. */
import { useEffect, useState } from "preact/hooks";
import { type Route, useRoute } from "../../kit/router.ts";
import { lastList } from "./last-list.ts";
import { addressOf, queryIn, type ToolsQuery } from "./list-query.ts";

export function useQuery(): readonly [ToolsQuery, (query: ToolsQuery) => void] {
  const route = useRoute();
  const [query, setQuery] = useState(() => ofRoute(route));
  useEffect(() => setQuery(ofRoute(route)), [route]);
  useEffect(() => {
    lastList.address = addressOf(query);
  }, [query]);
  const change = (next: ToolsQuery): void => {
    setQuery(next);
    history.replaceState(null, "", addressOf(next));
  };
  return [query, change];
}

/** `#/tools/SERVER` is the list of that server. */
function ofRoute({ parts, query }: Route): ToolsQuery {
  const asked = queryIn(query);
  return parts[0] ? { ...asked, server: parts[0] } : asked;
}
