/** Dependencies are few, explained in docs/dependencies.md, declared where they are used, and run nothing when installed. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { NAME, VERSION } from "../src/version.ts";
import { importsOf, packageOf } from "./support/layers.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, Manifest & { readonly hasInstallScript?: boolean }>>;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MANIFEST = json<Manifest>("package.json");
const RUNTIME = json<Manifest>("tools/runtime/package.json");
const LOCK = json<Lock>("package-lock.json");

describe("docs/dependencies.md", () => {
  const documented = sectionsOf(read("docs/dependencies.md"));

  for (const [section, declared] of [
    ["At run time", MANIFEST.dependencies],
    ["For development", MANIFEST.devDependencies],
    ["Node itself, in a checkout", RUNTIME.optionalDependencies],
  ] as const) {
    test(`"${section}" gives a reason for what is declared, and for nothing else`, () => {
      assert.deepEqual(documented.get(section), Object.keys(declared ?? {}).sort());
    });
  }
});

describe("the lock file", () => {
  test("knows every package that any of them asks for, so that npm ci works on all machines", () => {
    const known = new Set(Object.keys(LOCK.packages).map((path) => path.split("node_modules/").at(-1)));
    const wanted = Object.values(LOCK.packages).flatMap((entry) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }),
    );
    assert.deepEqual(
      wanted.filter((name) => !known.has(name)),
      [],
    );
  });

  test("has no package that runs a script when it is installed", () => {
    const scripted = Object.entries(LOCK.packages).filter(([, entry]) => entry.hasInstallScript);
    assert.deepEqual(
      scripted.map(([path]) => path),
      [],
    );
  });
});

test("src imports only what is declared for run time", () => {
  const declared = Object.keys(MANIFEST.dependencies ?? {});
  const undeclared = globSync("src/**/*.ts", { cwd: ROOT })
    // What the console's page is made of comes along as files: see the next test.
    .filter((file) => !file.endsWith(".test.ts") && !file.startsWith("src/console/"))
    .flatMap((file) => importsOf(read(file)).map(({ specifier = "." }) => ({ file, specifier })))
    .filter(({ specifier }) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
    .filter(({ specifier }) => !declared.includes(packageOf(specifier)));
  assert.deepEqual(undeclared, []);
});

test("the console's page imports only what the build copies", () => {
  const build = read("scripts/build.ts");
  const wanted = globSync("src/console/**/*.ts", { cwd: ROOT })
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => importsOf(read(file)).map(({ specifier = "." }) => specifier))
    .filter((specifier) => !specifier.startsWith("."))
    .map(packageOf);
  assert.ok(wanted.includes("preact"), "nothing was looked at");
  assert.deepEqual(
    [...new Set(wanted)].filter((name) => !build.includes(`"${name}/`)),
    [],
  );
});

test("the program knows its own name and version", () => {
  assert.deepEqual([NAME, VERSION], [MANIFEST.name, MANIFEST.version]);
});

/** The packages of each section's table, sorted, by the section's title. */
function sectionsOf(markdown: string): Map<string, string[]> {
  const sections = markdown.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf("\n")),
      [...section.matchAll(/^\| `([^`]+)` \| \S.*\|$/gm)].map(([, name = ""]) => name).sort(),
    ]),
  );
}

function read(file: string): string {
  return readFileSync(new URL(file, new URL("../", import.meta.url)), "utf8");
}

function json<T>(file: string): T {
  return JSON.parse(read(file)) as T;
}
