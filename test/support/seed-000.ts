/** Seed 000 for its tests: what its document announces, its lines, and sessions with the program that speaks them. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LineSession } from "./line-session.ts";

export interface AnnouncedTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: object;
  readonly output_schema: object;
}

const NO_INPUT = { type: "object", properties: {}, required: [] };
const NAMES = { type: "array", items: { type: "string" } };
const PRESENCE = { type: "object", properties: { present: { type: "boolean" }, known_people: NAMES } };

/** The tools in their order, each with its text and its schemas. */
export const SIX_TOOLS: readonly AnnouncedTool[] = [
  {
    name: "get_presence",
    description: "Obtiene el estado del detector de presencia",
    input_schema: NO_INPUT,
    output_schema: PRESENCE,
  },
  {
    name: "get_alarm_status",
    description: "Consulta si la alarma está armada",
    input_schema: NO_INPUT,
    output_schema: { type: "object", properties: { armed: { type: "boolean" } } },
  },
  {
    name: "list_lights_on",
    description: "Lista los nombres de las luces que están encendidas",
    input_schema: NO_INPUT,
    output_schema: { type: "object", properties: { on: NAMES } },
  },
  {
    name: "set_light_state",
    description: "Enciende o apaga una luz específica",
    input_schema: {
      type: "object",
      properties: {
        name: { type: "string", description: "Nombre de la luz" },
        on: { type: "boolean", description: "true para encender, false para apagar" },
      },
      required: ["name", "on"],
    },
    output_schema: { type: "object", properties: { ok: { type: "boolean" }, error: { type: "string" } } },
  },
  {
    name: "set_alarm_state",
    description: "Arma o desarma la alarma",
    input_schema: {
      type: "object",
      properties: { armed: { type: "boolean", description: "true para armar, false para desarmar" } },
      required: ["armed"],
    },
    output_schema: { type: "object", properties: { ok: { type: "boolean" } } },
  },
  {
    name: "get_all_states",
    description: "Obtiene un snapshot completo del estado del sistema",
    input_schema: NO_INPUT,
    output_schema: {
      type: "object",
      properties: {
        lights: { type: "object", additionalProperties: { type: "boolean" } },
        alarm: { type: "boolean" },
        presence: PRESENCE,
      },
    },
  },
];

/** The presence of an empty house. */
export const NOBODY: object = { present: false, known_people: [] };

export const LIGHTS: readonly string[] = ["salon", "cocina", "dormitorio", "bano", "garage"];

/** The house as it is at first, with these lights on. */
export function houseWith(...on: readonly string[]): object {
  const lights = LIGHTS.map((name) => [name, on.includes(name)] as const);
  return { lights: Object.fromEntries(lights), alarm: false, presence: NOBODY };
}

export function callLine(id: unknown, tool: string, args: object): string {
  return JSON.stringify({ type: "call", id, tool, args });
}

export function resultLine(id: unknown, value: object): string {
  return JSON.stringify({ type: "result", id, ok: true, result: value });
}

export function errorLine(id: unknown, text: string): string {
  return JSON.stringify({ type: "error", id, ok: false, error: text });
}

/** Asks each line and compares each answer. */
export async function assertAnswers(
  session: LineSession,
  pairs: readonly (readonly [line: string, answer: string])[],
): Promise<void> {
  for (const [line, answer] of pairs) assertSameLine((await session.ask(line))[0] ?? "", answer);
}

/** Equal in meaning: spaces may differ, the order of keys (type, id, ok, then result or error) may not. */
export function assertSameLine(actual: string, expected: string): void {
  const [left, right] = [JSON.parse(actual), JSON.parse(expected)];
  assert.deepEqual(left, right);
  assert.deepEqual(Object.keys(left), Object.keys(right));
}

/** The id as it is written in an answer. */
export function idText(line: string): string {
  return /"id"\s*:\s*(.*?)\s*,\s*"ok"\s*:/s.exec(line)?.[1] ?? `none in ${line}`;
}

/** Sessions with `zaguan simulate`, each in a folder of its own, and all of them gone at the end. */
export class Simulators {
  readonly #root: string = mkdtempSync(join(tmpdir(), "zaguan-seed-000-"));
  readonly #opened: LineSession[] = [];
  #folders = 0;

  newFolder(): string {
    const folder = join(this.#root, String(++this.#folders));
    mkdirSync(folder);
    return folder;
  }

  /** `simulate --mcp` unless told otherwise. */
  start({ args = ["simulate", "--mcp"], folder = this.newFolder(), stdin }: Start = {}): LineSession {
    const session = new LineSession(args, folder, stdin);
    this.#opened.push(session);
    return session;
  }

  /** The same with its first line read. */
  async ready(start: Start = {}): Promise<LineSession> {
    const session = this.start(start);
    assert.equal(JSON.parse(await session.next()).type, "ready");
    return session;
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((session) => session.kill()));
    rmSync(this.#root, { recursive: true, force: true });
  }
}

interface Start {
  readonly args?: readonly string[];
  readonly folder?: string;
  /** A file descriptor instead of a pipe. */
  readonly stdin?: number;
}
