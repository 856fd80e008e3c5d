/**
 * Params pass on as they were written; only the progress token is exchanged for our own id, since tokens of different
 * callers may be equal. Pure.
 */
import { type Member, memberOf } from "../json/scan.ts";
import { mayHoldPlainly, membersOf } from "../json/text-edit.ts";
import type { RpcCall } from "../json-rpc/message.ts";

const TOKEN = "progressToken";

/** The params' text with `token` in the place of the caller's own; unchanged if the caller gave none. */
export function swapProgressToken(params: string, token: number): string {
  const place = progressTokenOf(params);
  return place ? `${params.slice(0, place.start)}${token}${params.slice(place.end)}` : params;
}

/** A progress notification's params with the caller's own token, as text, in the place of ours. */
export function withProgressToken(progress: string, token: string): string {
  const place = memberOf(membersOf(progress), TOKEN);
  return place ? `${progress.slice(0, place.start)}${token}${progress.slice(place.end)}` : progress;
}

/** The text of the caller's token, if it gave one that is a string or a number. */
export function progressTokenOfCall(call: RpcCall): string | undefined {
  const meta = memberOf(call.members, "_meta");
  const place = meta && memberOf(meta.members, TOKEN);
  return place?.kind === "string" || place?.kind === "number" ? call.text.slice(place.start, place.end) : undefined;
}

function progressTokenOf(params: string): Member | undefined {
  const mayBe = params.includes("\\") ? params.includes(TOKEN) : mayHoldPlainly(params, TOKEN);
  if (!mayBe) return undefined;
  const meta = memberOf(membersOf(params), "_meta");
  return meta && memberOf(meta.members, TOKEN);
}
