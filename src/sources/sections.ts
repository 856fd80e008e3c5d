/** The sections of zaguan.json that belong to kinds of sources, one line each: its key in the file, and what it is made of. */
import { MQTT_SECTION } from "./mqtt/section.ts";
import type { FileSection, SectionEntry } from "./section.ts";

export const SECTIONS: Readonly<Record<string, FileSection>> = {
  mqtt: MQTT_SECTION,
};

/** What the file's sections of this kind say: for each key, entries by the names of their sources. */
export type Sections = Readonly<Record<string, Readonly<Record<string, SectionEntry>>>>;
