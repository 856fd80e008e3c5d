/** Lists that come in pages: what may be asked for, and how the caller learns of the rest. */
import { z } from "zod";

/** To be spread into the query of a list: `z.object({ ...PAGE, serverId: z.string() })`. */
export const PAGE = {
  offset: z.coerce.number().int().min(0).default(0).describe("How many to pass over."),
  limit: z.coerce.number().int().min(1).max(1000).optional().describe("How many to show; all if it is absent."),
  search: z.string().trim().max(200).optional().describe("Words that must all occur, in any case."),
};

/** For the description of a list's answer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "X-Total-Count": "How many there are in all pages.",
  Link: "Where the next and the previous page are (RFC 8288).",
};
