/** A server as this page keeps it. */
import type { Server } from "../../../contract/server.ts";

/** `name` is the slug here, by which the hub's live word knows it too; `title` is its name for people. */
export type ServerRecord = Omit<Server, "slug"> & { readonly title: string };

export function keptRecord({ slug, ...record }: Server): ServerRecord {
  return { ...record, name: slug, title: record.name };
}
