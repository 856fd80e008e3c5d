/**
 * `zaguan simulate`: the simulated house alone. With `--mcp` it speaks seed 000's line protocol and starts anew each time,
 * as the original does, unless a data folder is named; its other forms act on the house that the data folder keeps.
 */

import type { House, HouseState } from "../../compose/simulate.ts";
import { loadConfig } from "../../config/config-file.ts";
import type { HouseConfig } from "../../config/types.ts";
import type { Context } from "../command.ts";
import { CommandFailure } from "../failures.ts";
import { findHouseFile, ORIGINAL_HOUSE, openHouseFile } from "../house-file.ts";
import { findRunningHub } from "../hub-file.ts";
import { isGiven, serveOptions, textOption } from "../options.ts";
import { untilStopped } from "../stopping.ts";
import { storePlace } from "../store-place.ts";
import { displayWidth, padEnd } from "../terminal.ts";

type Action = (context: Context, house: House, names: readonly string[]) => Promise<string>;

/** By the words of the command line. */
const ACTIONS: Readonly<Record<string, Action>> = {
  status: async ({ say }, house) => {
    const state = await house.read();
    return [say("cli.house.lights"), lights(state, say), alarm(state, say), presence(state, say)].join("\n");
  },
  "lights list": async ({ say }, house) => lights(await house.read(), say),
  "lights on": (context, house, [name = ""]) => switchLight(context, house, name, true),
  "lights off": (context, house, [name = ""]) => switchLight(context, house, name, false),
  "alarm on": (context, house) => arm(context, house, true),
  "alarm off": (context, house) => arm(context, house, false),
  "presence show": async ({ say }, house) => presence(await house.read(), say),
  "presence set": (context, house, names) => setPresence(context, house, names),
  "presence clear": (context, house) => setPresence(context, house, []),
};

export async function run(context: Context): Promise<number> {
  const houseConfig = await configuredHouse(context);
  if (isGiven(context, "mcp")) await speakLines(context, houseConfig);
  else await act(context, houseConfig);
  return 0;
}

async function act(context: Context, houseConfig: HouseConfig): Promise<void> {
  const { operands, world } = context;
  const words = operands[0] === "status" ? 1 : 2;
  const { openHouse } = await import("../../compose/simulate.ts");
  const house = await openHouse(await storePlace(context), houseConfig);
  try {
    const text = await ACTIONS[operands.slice(0, words).join(" ")]?.(context, house, operands.slice(words));
    world.stdout.write(`${text}\n`);
  } finally {
    await house.close();
  }
}

async function speakLines(context: Context, houseConfig: HouseConfig): Promise<void> {
  const { language } = context;
  const { simulateLines } = await import("../../compose/simulate.ts");
  const { openStore } = await import("../../compose/store.ts");
  const isKept = textOption(context, "data") !== undefined;
  const store = isKept ? await openStore(await storePlace(context)) : undefined;
  try {
    await untilStopped(context.world.env, () => simulateLines({ houseConfig, documents: store?.documents, language }));
  } finally {
    await store?.close();
  }
}

/** The named file, else the house that the hub has: a hub and its commands must agree on the lights. */
async function configuredHouse(context: Context): Promise<HouseConfig> {
  const { world, say } = context;
  const file = textOption(context, "config");
  if (file === undefined) return (isGiven(context, "mcp") ? findHouseFile() : undefined) ?? hubHouse(context);
  const { config, created, unknown } = openHouseFile(file);
  if (created) world.stderr.write(`${say("cli.house.created", { file })}\n`);
  if (unknown.length > 0) world.stderr.write(`${say("cli.house.unknownKeys", { file, keys: unknown.join(", ") })}\n`);
  return config;
}

async function hubHouse(context: Context): Promise<HouseConfig> {
  const { world } = context;
  const watched = findRunningHub(serveOptions(context).dataDir)?.configFile;
  const file = world.env["ZAGUAN_CONFIG"] || watched || "zaguan.json";
  const { house } = (await loadConfig(file, world.env)).devices;
  return house === false ? ORIGINAL_HOUSE : house;
}

async function switchLight({ say }: Context, house: House, name: string, on: boolean): Promise<string> {
  if (await house.setLight(name, on)) return say(on ? "cli.house.switchedOn" : "cli.house.switchedOff", { name });
  const known = Object.keys((await house.read()).lights).join(", ");
  throw new CommandFailure("cli.house.unknownLight", { name, known });
}

async function arm({ say }: Context, house: House, armed: boolean): Promise<string> {
  await house.setAlarm(armed);
  return alarm(await house.read(), say);
}

async function setPresence({ say }: Context, house: House, names: readonly string[]): Promise<string> {
  await house.setPresence(names);
  return presence(await house.read(), say);
}

function lights(state: HouseState, say: Context["say"]): string {
  const names = Object.keys(state.lights);
  const width = Math.max(0, ...names.map(displayWidth));
  const line = (name: string): string =>
    `  ${padEnd(name, width)}  ${say(state.lights[name] ? "cli.house.lightOn" : "cli.house.lightOff")}`;
  return names.map(line).join("\n");
}

function alarm(state: HouseState, say: Context["say"]): string {
  return say(state.alarm ? "cli.house.armed" : "cli.house.disarmed");
}

function presence({ presence: { present, known_people } }: HouseState, say: Context["say"]): string {
  if (!present) return say("cli.house.nobody");
  return known_people.length > 0
    ? say("cli.house.present", { names: known_people.join(", ") })
    : say("cli.house.somebody");
}
