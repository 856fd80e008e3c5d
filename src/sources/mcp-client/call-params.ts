/** The params of a request to a source, as text, from what the core hands over. */
import { membersOf, withMember, withoutMembers } from "../../protocol/json/text-edit.ts";
import type { SourceRequest } from "../source.ts";

/** With a progress token where one is wanted, to be exchanged for the request's own id (`swapProgressToken`). */
export function callParams(request: SourceRequest): string {
  if (request.params) return request.params.text;
  const meta = metaText(request);
  const tail = meta === undefined ? "" : `,"_meta":${meta}`;
  return `{"name":${JSON.stringify(request.name)},"arguments":${request.args.text}${tail}}`;
}

function metaText({ meta, onProgress }: SourceRequest): string | undefined {
  if (onProgress) return withMember(meta?.text ?? "{}", "progressToken", "0");
  const rest = meta && withoutMembers(meta.text, (key) => key === "progressToken");
  return rest === undefined || membersOf(rest).length === 0 ? undefined : rest;
}
