/**
 * A stand-in for the Python original of seed 000: warns on stdout before `ready`, writes JSON with spaces after "," and
 * ":" as Python does, and serves the six tools. Switches make it misbehave:
 *   --die-after N     answers N calls and exits, with the next one unanswered
 *   --never-ready     says everything but `ready`
 *   --unknown-ids     answers to ids nobody gave, before each real answer
 *   --hold-first      answers the first call only after the second
 */
import { createInterface } from "node:readline";

const has = (name) => process.argv.includes(name);
const numberAfter = (name) => (has(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : Infinity);

const house = {
  lights: { salon: false, cocina: false, dormitorio: false, bano: false, garage: false },
  alarm: false,
  presence: { present: false, known_people: [] },
};

const TOOLS = {
  get_presence: { needs: {}, run: () => house.presence },
  get_alarm_status: { needs: {}, run: () => ({ armed: house.alarm }) },
  list_lights_on: {
    needs: {},
    run: () => ({ on: Object.keys(house.lights).filter((name) => house.lights[name]) }),
  },
  set_light_state: { needs: { name: "string", on: "boolean" }, run: setLight },
  set_alarm_state: { needs: { armed: "boolean" }, run: setAlarm },
  get_all_states: { needs: {}, run: () => house },
};

let calls = 0;
let held;

console.log("⚠️  Archivo de configuración no encontrado. Creando config.yaml con valores por defecto...");
console.error("mcp_home_simulator: listo en stderr");
if (!has("--never-ready")) {
  print({ type: "ready", version: "0.1.0", tools: Object.entries(TOOLS).map(describe) });
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "quit") break;
  calls += 1;
  if (calls > numberAfter("--die-after")) process.exit(3);
  answer(message);
}

function answer(message) {
  const reply = replyTo(message);
  if (has("--unknown-ids")) {
    print({ ...reply, id: 424242 });
    print({ ...reply, id: "nobody" });
  }
  if (has("--hold-first") && calls === 1) {
    held = reply;
    return;
  }
  print(reply);
  if (held) print(held);
  held = undefined;
}

function replyTo({ id, tool, args }) {
  if (!Object.hasOwn(TOOLS, tool)) return { type: "error", id, ok: false, error: `Tool '${tool}' no encontrada` };
  const result = TOOLS[tool].run(args);
  if (result.ok === false) return { type: "error", id, ok: false, error: result.error };
  return { type: "result", id, ok: true, result };
}

function setLight({ name, on }) {
  if (!Object.hasOwn(house.lights, name)) return { ok: false, error: `Luz '${name}' no encontrada` };
  house.lights[name] = on;
  return { ok: true };
}

function setAlarm({ armed }) {
  house.alarm = armed;
  return { ok: true };
}

function describe([name, { needs }]) {
  const properties = Object.fromEntries(Object.entries(needs).map(([key, type]) => [key, { type }]));
  return {
    name,
    description: `Herramienta ${name}`,
    input_schema: { type: "object", properties, required: Object.keys(needs) },
    output_schema: { type: "object", properties: {} },
  };
}

function print(value) {
  const spaced = JSON.stringify(value, null, 1)
    .replace(/,\n\s*/g, ", ")
    .replace(/\n\s*/g, "");
  process.stdout.write(`${spaced}\n`);
}
