/** The tools of this machine's own abilities with their properties, as the desktop client of October 2025 had them. A table. */
import assert from "node:assert/strict";
import type { Message } from "./line-rpc.ts";

interface Property {
  readonly type: "string" | "integer" | "boolean";
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

type Tools = Readonly<Record<string, Readonly<Record<string, Property>>>>;

const NEEDED: Property = { type: "string" };
const EMPTY = text("");
const NO: Property = { type: "boolean", default: false };

function text(value: string): Property {
  return { type: "string", default: value };
}

function integer(value?: number, minimum?: number, maximum?: number): Property {
  return {
    type: "integer",
    ...(value !== undefined && { default: value }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

const IR_INFO = { description: EMPTY, aliases: EMPTY, category: EMPTY, device: EMPTY };
const SPAN = { start_date: EMPTY, end_date: EMPTY };

export const LOCAL_TOOLS = {
  system: {
    "self.get_device_status": {},
    "self.audio_speaker.set_volume": { volume: integer(undefined, 0, 100) },
    "self.application.scan_installed": { force_refresh: NO },
    "self.application.list_running": { filter_name: EMPTY },
  },
  /** What can do harm. */
  applications: {
    "self.application.launch": { app_name: NEEDED },
    "self.application.kill": { app_name: NEEDED, force: NO },
  },
  calendar: {
    "self.calendar.create_event": {
      title: NEEDED,
      start_time: NEEDED,
      end_time: EMPTY,
      description: EMPTY,
      category: text("默认"),
      reminder_minutes: integer(15),
    },
    "self.calendar.get_events": { date_type: text("today"), category: EMPTY, ...SPAN },
    "self.calendar.get_upcoming_events": { hours: integer(24) },
    "self.calendar.update_event": {
      event_id: NEEDED,
      title: EMPTY,
      start_time: EMPTY,
      end_time: EMPTY,
      description: EMPTY,
      category: EMPTY,
      reminder_minutes: integer(15),
    },
    "self.calendar.delete_event": { event_id: NEEDED },
    "self.calendar.delete_events_batch": { ...SPAN, category: EMPTY, date_type: EMPTY, delete_all: NO },
    "self.calendar.get_categories": {},
  },
  timers: {
    "timer.start_countdown": { command: NEEDED, delay: integer(5, 1, 3_600), description: EMPTY },
    "timer.cancel_countdown": { timer_id: integer() },
    "timer.get_active_timers": {},
  },
  music: {
    "music_player.search_and_play": { song_name: NEEDED },
    "music_player.play_pause": {},
    "music_player.stop": {},
    "music_player.seek": { position: integer(undefined, 0) },
    "music_player.get_lyrics": {},
    "music_player.get_status": {},
    "music_player.get_local_playlist": { force_refresh: NO },
  },
  camera: { take_photo: { question: NEEDED } },
  /** For a while `display` was required there, by accident: a default of None counts as none. */
  screenshot: { take_screenshot: { question: NEEDED, display: EMPTY } },
  environment: { "environment.get_temperature_humidity": {} },
  infrared: {
    "self.ir.list_codes": {},
    "self.ir.get_ir_code_info": { name: NEEDED },
    "self.ir.send_named": { name: NEEDED },
    "self.ir.send_hex": { hex: NEEDED },
    "self.ir.set_ir_code_info": { name: NEEDED, ...IR_INFO },
    "self.ir.get_learning_result": {},
    "self.ir.test_connection": {},
  },
} as const satisfies Readonly<Record<string, Tools>>;

/** In two versions: without properties, or with all that is kept beside a code; none is ever required. */
export const LEARNING_TOOL = "self.ir.learn_external";

export type AbilityName = keyof typeof LOCAL_TOOLS;

export function toolsOf(...names: readonly AbilityName[]): string[] {
  const learning = names.includes("infrared") ? [LEARNING_TOOL] : [];
  return [...names.flatMap((name) => Object.keys(LOCAL_TOOLS[name])), ...learning].toSorted();
}

/** Every tool that this machine could have. */
export const ALL_LOCAL: readonly string[] = toolsOf(...(Object.keys(LOCAL_TOOLS) as AbilityName[]));

/** The facts of each property; what people read beside them is ours. */
export function assertSchema({ name, description, inputSchema }: Message, properties: Tools[string]): void {
  assert.match(description, /\S/, name);
  assert.equal(inputSchema.type, "object", name);
  const { properties: given = {}, required = [] } = inputSchema;
  const facts = Object.entries<Message>(given).map(([key, { type, default: value, minimum, maximum }]) => [
    key,
    JSON.parse(JSON.stringify({ type, default: value, minimum, maximum })),
  ]);
  assert.deepEqual(Object.fromEntries(facts), properties, name);
  const needed = Object.keys(properties).filter((key) => properties[key]?.default === undefined);
  assert.deepEqual(required.toSorted(), needed.toSorted(), name);
}
