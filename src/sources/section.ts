/** A section of zaguan.json whose entries are sources of one kind, and which belongs to that kind. */
import type { z } from "zod";
import type { ServerPolicy } from "../config/types.ts";

export interface FileSection<Entry extends SectionEntry = SectionEntry> {
  /** Of one entry; what its fields are described with becomes documentation. */
  readonly entry: z.ZodType;
  /** What the section is for, in one sentence. */
  readonly description: string;
  /** What one of its sources is called: "broker". */
  readonly noun: string;
  /** An entry that was checked, with its paths made absolute: they are meant from `folder`. */
  read(entry: unknown, folder: string): Entry;
}

export interface SectionEntry {
  readonly disabled: boolean;
  readonly policy: ServerPolicy;
}
