/**
 * The layers of src/ as one table, and the checker that holds a file against it. It reads text, not a syntax tree:
 * the formatter puts every static import at the start of a line, and that is enough. Test files are not its business.
 */
import { posix } from "node:path";

/** What each folder may import beside itself. "name" = values and types, "name!" = types only; a longer path is a part. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "errors.ts": [],
  "light-abort.ts": [],
  "indexed-set.ts": [],
  "coarse-timer.ts": ["indexed-set.ts"],
  "heap.ts": [],
  "version.ts": [],
  "server-name.ts": [],
  contract: ["errors.ts"],
  messages: ["errors.ts!"],
  protocol: ["errors.ts", "light-abort.ts", "messages!"],
  core: [
    "errors.ts",
    "light-abort.ts",
    "indexed-set.ts",
    "messages",
    "protocol!",
    "protocol/json",
    "sources!",
    "store!",
  ],
  cluster: ["errors.ts!", "core!"],
  nodes: [
    "errors.ts",
    "light-abort.ts",
    "cluster",
    "bus!",
    "core!",
    "core/shared/changes.ts",
    "core/shared/rates.ts",
    "protocol/json",
    "protocol!",
    "sources!",
  ],
  schema: ["errors.ts", "messages", "core!", "protocol/json"],
  security: ["errors.ts", "light-abort.ts", "messages", "core!", "store!", "config!"],
  link: [
    "errors.ts",
    "light-abort.ts",
    "indexed-set.ts",
    "coarse-timer.ts",
    "version.ts",
    "protocol/framing",
    "security",
  ],
  bus: ["link/http-failures.ts"],
  sources: [
    "contract!",
    "contract/fields.ts",
    "errors.ts",
    "light-abort.ts",
    "coarse-timer.ts",
    "version.ts",
    "messages",
    "protocol",
    "link",
    "security",
    "core!",
    "core/structures",
    "store!",
    "config!",
    "config/server-schema.ts",
    "user-tools",
    "schema/linear-pattern.ts",
  ],
  doors: [
    "contract",
    "errors.ts",
    "light-abort.ts",
    "heap.ts",
    "indexed-set.ts",
    "coarse-timer.ts",
    "version.ts",
    "messages",
    "protocol",
    "link",
    "security",
    "core!",
    "core/access.ts",
    "core/structures",
    "store!",
    "config!",
    "registry!",
    "apis!",
    "apis/handsai/schemas.ts",
    "apis/handsai/operations.ts",
    "apis/handsai/views.ts",
    "observe!",
  ],
  apis: [
    "contract!",
    "contract/fields.ts",
    "contract/api.ts",
    "contract/operation.ts",
    "contract/page.ts",
    "errors.ts",
    "light-abort.ts",
    "messages",
    "core!",
    "core/access.ts",
    "store",
    "security",
    "config!",
    "registry",
    "openapi",
    "sources!",
  ],
  "user-tools": ["errors.ts", "light-abort.ts", "messages", "core!", "protocol/json"],
  abilities: ["errors.ts", "light-abort.ts", "messages", "core!", "store!", "user-tools", "link", "security"],
  registry: [
    "contract!",
    "errors.ts",
    "light-abort.ts",
    "messages",
    "core!",
    "core/access.ts",
    "core/unfit-tools.ts",
    "store",
    "security",
    "config!",
  ],
  store: ["contract!", "errors.ts", "core!", "cluster!", "config!"],
  observe: ["contract!", "errors.ts", "version.ts", "messages", "security", "core!", "config!", "sources!"],
  config: ["contract", "errors.ts", "messages", "sources!", "sources/sections.ts"],
  openapi: ["errors.ts", "sources!"],
  // Runs in a browser: of the rest it knows what things look like, and nothing else.
  console: ["contract!", "contract/client.ts", "doors!", "messages!", "core!", "apis!", "observe!", "store!"],
  cli: [
    "errors.ts",
    "version.ts",
    "messages",
    "protocol",
    "schema",
    "security",
    "link",
    "store",
    "observe",
    "config",
    "zaguan.ts",
    "index.ts",
    "contract!",
    "contract/client.ts",
    "compose/store.ts",
    "compose/rotate-key.ts",
    "compose/simulate.ts",
    "doors!",
    "sources!",
    "core!",
  ],
  compose: everythingExcept("cli"),
  "zaguan.ts": everythingExcept("cli"),
  "index.ts": everythingExcept("cli"),
};

/** What everybody may import, the browser too. */
const FOR_ALL: readonly string[] = [
  "contract/rules.ts",
  "contract/limits.ts",
  "contract/generated.ts",
  "server-name.ts",
];

/** Those of them that the page is given. */
const SERVED: readonly string[] = ["contract/rules.ts", "contract/generated.ts"];

/** These compute and nothing else: no `node:` module, no package. */
const PURE = [
  ...FOR_ALL,
  "errors.ts",
  "light-abort.ts",
  "indexed-set.ts",
  "version.ts",
  "messages",
  "protocol",
  "core",
  "cluster",
];

/** What a browser is given. */
const OF_THE_PAGE: readonly string[] = ["preact", "htm", "uplot"];

/** What reaches out of the process, or is heavy, has its home. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  "@nats-io/transport-node": ["bus"],
  ajv: ["schema"],
  "home-assistant-js-websocket": ["sources"],
  "jsonc-parser": ["config"],
  mqtt: ["link"],
  postgres: ["store"],
  "prom-client": ["observe"],
  re2js: ["schema"],
  undici: ["link", "security"],
  "node:child_process": ["link"],
  "node:sqlite": ["store"],
};

/** Families whose members never know each other; what they share is named here. Only `index.ts` knows them all, and `sections.ts`. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  sources: ["source", "section", "supervisor", "attempt", "waiters", "noise-limit", "mcp-client", "shared"],
  doors: ["door", "rights", "http", "mcp", "rest"],
};

/** Types alone, which every member of a family may use. */
const CONTRACTS: readonly string[] = ["doors/live/views.ts"];

export interface Import {
  /** As written; undefined where it is computed and cannot be read. */
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
}

const STATIC = /^(?:import|export)\s+(type\s)?[^;"'`]*?\bfrom\s+["']([^"']+)["']/gm;
const SIDE_EFFECT = /^import\s+["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*(?:["'`]([^"'`$]+)["'`]\s*[,)])?/g;
const COMMENT_LINE = /^\s*(?:\/\/|\/\*|\*).*$/gm;

export function importsOf(text: string): Import[] {
  const code = text.replace(COMMENT_LINE, "");
  return [
    ...[...code.matchAll(STATIC)].map(([, type, specifier]) => ({ specifier, typeOnly: type !== undefined })),
    ...[...code.matchAll(SIDE_EFFECT)].map(([, specifier]) => ({ specifier, typeOnly: false })),
    ...[...code.matchAll(DYNAMIC)].map(([, specifier]) => ({ specifier, typeOnly: false })),
  ];
}

/** The name of a package without the path inside it; `node:` modules stay as they are. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Everything that is wrong with one file of src/, in words; `file` is its path inside src/ with forward slashes. */
export function breaches(file: string, text: string): string[] {
  return [
    ...importsOf(text).flatMap((entry) => importBreach(file, entry) ?? []),
    ...[...rulesBroken(file, text)].map((rule) => `${file} ${rule}`),
  ];
}

function importBreach(file: string, { specifier, typeOnly }: Import): string | undefined {
  if (specifier === undefined) {
    // Modules of the user's own folder are what it is there for.
    return file === "user-tools/load.ts" ? undefined : `${file} imports a computed path, which cannot be checked`;
  }
  const from = topOf(file);
  if (!specifier.startsWith(".")) return packageBreach(file, from, specifier);
  const target = posix.normalize(posix.join(posix.dirname(file), specifier));
  const allowed = MAY_IMPORT[from];
  if (!allowed) return `${from} has no row in the table of layers`;
  const may =
    topOf(target) === from
      ? mayMeet(file, target, typeOnly)
      : [...(from === "console" && !typeOnly ? SERVED : FOR_ALL), ...allowed].some(
          (row) => covers(row, target) || (typeOnly && row.endsWith("!") && covers(row.slice(0, -1), target)),
        );
  return may ? undefined : `${file} may not import ${typeOnly ? "types" : "values"} from ${specifier}`;
}

function packageBreach(file: string, from: string, specifier: string): string | undefined {
  const isOfThePage = OF_THE_PAGE.includes(packageOf(specifier));
  if (from === "console" && !isOfThePage) return `${file} runs in a browser, which is not given ${specifier}`;
  if (from !== "console" && isOfThePage) return `${file} may not import ${specifier}: only the console may`;
  if (PURE.some((row) => covers(row, file))) return `${file} is pure and may not import ${specifier}`;
  const homes = HOMES[packageOf(specifier)];
  return !homes || homes.includes(from)
    ? undefined
    : `${file} may not import ${specifier}: only ${homes.join(", ")} may`;
}

/** Inside one folder anything goes, except between the members of a family; their contract may name what it hands them. */
function mayMeet(file: string, target: string, typeOnly: boolean): boolean {
  const shared = FAMILIES[topOf(file)];
  if (!shared) return true;
  const [from, to] = [memberOf(file), memberOf(target)];
  if (from === to || from === "index" || from === "sections" || shared.includes(to)) return true;
  return typeOnly && (from === "door" || CONTRACTS.includes(target));
}

function* rulesBroken(file: string, text: string): Generator<string> {
  const code = text.replace(COMMENT_LINE, "");
  if (!/^(?:#![^\n]*\n)?\s*(?:\/\*\*|\/\/)/.test(text)) yield "does not open with a comment that says what it is";
  if (/^export\s+default\b|^export\s*\{[^}]*\bas\s+default\b/m.test(code)) yield "has a default export";
  if (topOf(file) === "cli") return;
  if (/\bprocess\.(?:exit|abort|reallyExit)\b/.test(code)) yield "ends the process, which only cli may do";
  if (/^import\s*\{[^}]*\bexit\b[^}]*\}\s*from\s*["']node:process["']/m.test(code))
    yield "takes exit from node:process";
}

function covers(row: string, target: string): boolean {
  return target === row || target.startsWith(`${row}/`);
}

function topOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function memberOf(file: string): string {
  return (file.split("/")[1] ?? "").replace(/\.ts$/, "");
}

function everythingExcept(left: string): string[] {
  const all = [
    "contract",
    "errors.ts",
    "light-abort.ts",
    "indexed-set.ts",
    "coarse-timer.ts",
    "openapi",
    "apis",
    "user-tools",
    "abilities",
    "registry",
    "heap.ts",
    "version.ts",
    "zaguan.ts",
    "index.ts",
    "compose",
    "messages",
    "protocol",
    "core",
    "cluster",
    "nodes",
    "schema",
    "security",
  ];
  return [...all, "bus", "link", "sources", "doors", "store", "observe", "config", "cli"].filter(
    (name) => name !== left,
  );
}
