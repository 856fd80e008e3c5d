/**
 * Fills the cache of stripped and compiled code after an install, by starting a hub for a moment, so that the first
 * `npm start` is as quick and small as the next. It may fail without harm: then the first start fills it.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./zaguan.mjs", import.meta.url));
const GIVE_UP_MS = 20_000;

const folder = await mkdtemp(join(tmpdir(), "zaguan-warm-"));
const file = join(folder, "zaguan.json");
// A hub without any program does not load what starts one.
const program = { command: process.execPath, args: ["--eval", "0"] };
await writeFile(file, JSON.stringify({ mcpServers: { program } }));
const args = [MAIN, "serve", "--port", "0", "--data", join(folder, "data"), "--config", file];
const hub = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
const timer = setTimeout(() => hub.kill("SIGKILL"), GIVE_UP_MS);
hub.on("error", () => {});
// It greets when it is up; the cache is written when it ends.
hub.stdout.once("data", () => hub.kill("SIGTERM"));
await new Promise((resolve) => hub.once("close", resolve));
clearTimeout(timer);
await rm(folder, { recursive: true, force: true });
