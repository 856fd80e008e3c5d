/**
 * Where the entities of a house stand, and which of them are for people to see: read from three lists that Home Assistant
 * keeps. They are asked for when somebody wants to know, and kept for as long as somebody watches, since only then the house
 * says when one has changed.
 */
import { isObject } from "../../contract/rules.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { say } from "../../messages/catalogue.ts";
import { type Fields, Refusal, type ToolCall } from "../shared/tool-call.ts";
import type { Place } from "../source.ts";
import type { HomeLine } from "./line.ts";

const NEVER: CancelSignal = new AbortController().signal;

/** As it was when it was asked for. */
export interface Layout {
  /** False of what is hidden, and of what only sets its device up or tells how that fares. */
  isShown(entity: string): boolean;
  /** Its own area, else its device's. */
  placeOf(entity: string): Place | undefined;
  readonly areas: readonly Area[];
  /** Of a device; undefined if there is none of this id. */
  entitiesOf(device: string): readonly string[] | undefined;
}

/** One may be called by more than one name. */
interface Area extends Place {
  readonly aliases: readonly string[];
}

export class Registries {
  readonly #areas: KeptList;
  readonly #devices: KeptList;
  readonly #entities: KeptList;

  constructor(line: HomeLine) {
    this.#areas = new KeptList(line, "config/area_registry/list", "area_registry_updated");
    this.#devices = new KeptList(line, "config/device_registry/list", "device_registry_updated");
    // Without those that are disabled, and a tenth of the size of the other list.
    this.#entities = new KeptList(line, "config/entity_registry/list_for_display", "entity_registry_updated");
  }

  async read(): Promise<Layout> {
    const lists = [this.#areas, this.#devices, this.#entities];
    const [areas, devices, entities] = await Promise.all(lists.map((list) => list.ask()));
    return layoutOf(areas, devices, isObject(entities) ? entities["entities"] : undefined);
  }

  watch(onChange: () => void): () => void {
    const ends = [this.#areas, this.#devices, this.#entities].map((list) => list.watch(onChange));
    return () => {
      for (const end of ends) end();
    };
  }
}

/** One list of the house, and the event that makes it old. */
class KeptList {
  readonly #line: HomeLine;
  readonly #command: string;
  readonly #event: string;
  /** Under way; and kept afterwards while the house tells of changes. */
  #answer: Promise<unknown> | undefined;
  #agreed: Promise<unknown> | undefined;
  #isTold = false;

  constructor(line: HomeLine, command: string, event: string) {
    this.#line = line;
    this.#command = command;
    this.#event = event;
  }

  /** Undefined where the house says no: then it is shown without, and asked again the next time. One that starts says no too. */
  ask(): Promise<unknown> {
    if (this.#answer) return this.#answer;
    const answer = this.#ask();
    const forget = (): void => {
      if (this.#answer === answer) this.#answer = undefined;
    };
    answer.then((list) => (this.#isTold && list !== undefined) || forget(), forget);
    this.#answer = answer;
    return answer;
  }

  watch(onChange: () => void): () => void {
    let isOver = false;
    const agreed = this.#line.subscribe({ type: "subscribe_events", event_type: this.#event }, () => {
      if (isOver) return;
      this.#answer = undefined;
      onChange();
    });
    // What was asked for before may be older than the first change that is told.
    this.#answer = undefined;
    this.#agreed = agreed.then(
      () => {
        this.#isTold = !isOver;
      },
      () => {},
    );
    return () => {
      isOver = true;
      this.#isTold = false;
      this.#answer = undefined;
      this.#agreed = undefined;
      agreed.then((end) => end()).catch(() => {});
    };
  }

  async #ask(): Promise<unknown> {
    await this.#agreed;
    try {
      return await this.#line.command({ type: this.#command }, NEVER);
    } catch (cause) {
      if (cause instanceof Refusal) return undefined;
      throw cause;
    }
  }
}

function layoutOf(areas: unknown, devices: unknown, entities: unknown): Layout {
  const found = entries(areas).flatMap(areaIn);
  const places = new Map<unknown, Place>(found.map(({ id, name }) => [id, { id, name }]));
  const areaOfDevice = new Map(entries(devices).map(({ id, area_id }) => [id, area_id]));
  const known = new Map(entries(entities).map((entry) => [entry["ei"], entry]));
  return {
    areas: found,
    entitiesOf: (device) => {
      const own = [...known].filter(([, { di }]) => di === device).map(([entity]) => String(entity));
      return areaOfDevice.has(device) ? own : undefined;
    },
    isShown: (entity) => {
      const { hb: isHidden, ec: category } = known.get(entity) ?? {};
      return isHidden !== true && (category ?? undefined) === undefined;
    },
    placeOf: (entity) => {
      const { ai: area, di: device } = known.get(entity) ?? {};
      return places.get(area ?? areaOfDevice.get(device));
    },
  };
}

function areaIn({ area_id: id, name, aliases }: Fields): Area[] {
  if (typeof id !== "string" || typeof name !== "string") return [];
  return [{ id, name, aliases: Array.isArray(aliases) ? aliases.filter((each) => typeof each === "string") : [] }];
}

function entries(list: unknown): Fields[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The areas of a house, called by id, by name or by alias, in any letter case. */
export function areaOf(areas: readonly Area[], called: string, { language }: ToolCall): Area {
  const wanted = folded(called);
  const found =
    areas.find(({ id }) => id === called) ??
    areas.find(({ id, name, aliases }) => [id, name, ...aliases].some((each) => folded(each) === wanted));
  if (found) return found;
  const names = areas.map(({ id, name }) => `${name} (${id})`).join(", ") || "–";
  throw new Refusal(say(language, "home.unknownArea", { area: called }), say(language, "home.areas", { names }));
}

function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase().trim();
}
