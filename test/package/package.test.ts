/**
 * The package as a user gets it: packed, installed into an empty folder, started, asked for its tools, and stopped.
 * Then the same launcher under a Node that is too old.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, sep } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LAUNCHER = join(ROOT, "bin", "zaguan.js");
const MINUTES = 60_000;

describe("the published package", { timeout: 10 * MINUTES }, () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-package-"));
  const home = join(temp, "home");
  const installed = join(home, "node_modules", "zaguan");

  before(async () => {
    mkdirSync(home);
    writeFileSync(join(home, "package.json"), '{ "name": "home", "private": true }\n');
    await npm(["pack", "--pack-destination", temp], ROOT);
    const tarball = readdirSync(temp).find((name) => name.endsWith(".tgz"));
    assert.ok(tarball, "npm pack made no tarball");
    await npm(["install", "--prefer-offline", "--no-audit", "--no-fund", join(temp, tarball)], home);
  });

  after(() => rmSync(temp, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

  test("has all that it needs to run and to be understood", () => {
    const needed = ["bin/zaguan.js", "dist/cli/main.js", "dist/index.js", "dist/index.d.ts", "LICENSE", "README.md"];
    assert.deepEqual(
      needed.filter((file) => !existsSync(join(installed, file))),
      [],
    );
    assert.ok(globSync("schema/*.json", { cwd: installed }).length > 0, "schema is empty");
  });

  test("has nothing else: no sources, no tests, no Node", () => {
    const expected = ["CHANGELOG.md", "LICENSE", "README.md", "bin", "dist", "package.json", "schema"];
    assert.deepEqual(readdirSync(installed).sort(), expected);
    const files = globSync("**/*", { cwd: installed }).map((file) => file.split(sep).join("/"));
    assert.deepEqual(
      files.filter((file) => /\.test\.|(?<!\.d)\.ts$|\.map$/.test(file)),
      [],
    );
    const packages = manifests(home).map(({ name }) => String(name));
    assert.deepEqual(
      packages.filter((name) => /^node-(?:bin|linux|darwin|win)\b|^@zaguan\//.test(name)),
      [],
    );
  });

  test("runs nothing at installation, and neither does any package it brings", () => {
    const found = manifests(home);
    assert.ok(
      found.some(({ name }) => name === "zaguan"),
      "the package itself was not looked at",
    );
    assert.deepEqual(found.flatMap(installScripts), []);
  });

  test("starts, lists the tools of the simulated house, and stops when asked to", async () => {
    const command = join(home, "node_modules", ".bin", "zaguan");
    const hub = spawn(command, ["serve", "--port", "0", "--data", join(temp, "data")], {
      cwd: home,
      env: environment(),
      shell: process.platform === "win32",
    });
    const ended = once(hub, "exit");
    try {
      const address = await addressOf(hub);
      const tools = await listTools(address);
      assert.ok(tools.includes("set_light_state"), `${tools}`);
      hub.kill("SIGTERM");
      const [code, signal] = await ended;
      if (process.platform !== "win32") assert.deepEqual([code, signal], [0, null]);
    } finally {
      hub.kill("SIGKILL");
    }
  });

  const unix = process.platform !== "win32";
  test("ends with the npx that started it", {
    skip: unix ? false : "npx is ended there together with all",
  }, async () => {
    const args = ["--no", "zaguan", "serve", "--port", "0", "--data", join(temp, "npx-data")];
    const npx = spawn("npx", args, { cwd: home, env: environment() });
    const address = await addressOf(npx);
    npx.kill("SIGTERM");
    const end = Date.now() + MINUTES;
    while (await listTools(address).catch(() => undefined)) assert.ok(Date.now() < end, "the hub still answers");
  });
});

describe("the launcher under an old Node", () => {
  const pretend = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.11.1"}})';
  const texts = { en: "needs Node 24 or newer", es: "necesita Node 24", fr: "a besoin de Node 24", zh: "需要 Node 24" };

  for (const [language, text] of Object.entries(texts)) {
    test(`says in one line what is needed (${language})`, () => {
      const args = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, LAUNCHER, "--help"];
      refuses(process.execPath, args, language, text, "v20.11.1");
    });
  }

  test("says it in English where the language is unknown", () => {
    const args = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, LAUNCHER];
    refuses(process.execPath, args, "toString", texts.en, "v20.11.1");
  });

  const old = oldNode();
  test("says it under a real one", { skip: old ? false : "no old Node on this machine" }, () => {
    refuses(old?.path ?? "", [LAUNCHER], "en", texts.en, old?.version ?? "");
  });
});

function refuses(node: string, args: string[], language: string, text: string, version: string): void {
  const run = spawnSync(node, args, { encoding: "utf8", env: environment({ ZAGUAN_LANG: language }) });
  assert.match(run.stderr, /^[^\n]+\n$/, "one line, and nothing else");
  assert.ok(run.stderr.includes(text) && run.stderr.includes(version), run.stderr);
  assert.deepEqual([run.stdout, run.status], ["", 1]);
}

/** The environment of a user whose Node is ours, without what npm or the developer's shell say about Zaguan. */
function environment(extra: Record<string, string> = {}): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:ZAGUAN_|NODE_|npm_(?!config_))/.test(name));
  const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path, ...extra };
}

async function npm(args: string[], cwd: string): Promise<void> {
  const shell = process.platform === "win32";
  await promisify(execFile)("npm", args, { cwd, shell, env: environment(), maxBuffer: 1 << 26 });
}

async function addressOf(hub: ChildProcess): Promise<string> {
  const said: string[] = [];
  const found = Promise.withResolvers<string>();
  for (const stream of [hub.stdout, hub.stderr]) {
    assert.ok(stream);
    createInterface({ input: stream }).on("line", (line) => {
      said.push(line);
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (address) found.resolve(address);
    });
  }
  const timer = setTimeout(() => found.reject(new Error(`no address was printed:\n${said.join("\n")}`)), MINUTES);
  hub.once("error", found.reject);
  hub.once("close", (code) => found.reject(new Error(`ended with ${code}:\n${said.join("\n")}`)));
  return found.promise.finally(() => clearTimeout(timer));
}

async function listTools(address: string): Promise<string[]> {
  const response = await fetch(`${address}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    signal: AbortSignal.timeout(MINUTES),
  });
  const answer = (await response.json()) as { result?: { tools?: { name: string }[] } };
  assert.ok(answer.result?.tools, JSON.stringify(answer));
  return answer.result.tools.map((tool) => tool.name);
}

interface Manifest {
  readonly folder: string;
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Every package below node_modules, at any depth; package.json files that only mark a folder have no name. */
function manifests(folder: string): Manifest[] {
  return globSync("node_modules/**/package.json", { cwd: folder }).map((file) => {
    const path = join(folder, file);
    return { ...(JSON.parse(readFileSync(path, "utf8")) as Manifest), folder: dirname(path) };
  });
}

/** npm runs these three, and compiles where it finds a binding.gyp. */
function installScripts({ folder, name, scripts = {} }: Manifest): string[] {
  if (!/node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+$/.test(folder)) return [];
  const found = ["preinstall", "install", "postinstall"].filter((script) => script in scripts);
  if (existsSync(join(folder, "binding.gyp"))) found.push("binding.gyp");
  return found.map((script) => `${name}: ${script}`);
}

/** A Node below 24 that the machine happens to have. */
function oldNode(): { path: string; version: string } | undefined {
  const file = process.platform === "win32" ? "node.exe" : "node";
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "";
    if (Number(/^v(\d+)\./.exec(version)?.[1] ?? 99) < 24) return { path, version };
  }
  return undefined;
}
