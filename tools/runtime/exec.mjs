#!/usr/bin/env node
/**
 * The word `exec` of our npm scripts on Windows, whose shell does not know it: runs the command that follows. Elsewhere a
 * shell takes the word itself and makes way for the command, so that npm's signals reach it.
 */
import { spawn } from "node:child_process";
import process from "node:process";

const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command === "node" ? process.execPath : command, args, { stdio: "inherit" });
// Ctrl+C reaches the child too: we wait for how it ends.
process.on("SIGINT", () => {});
child.on("error", ({ message }) => {
  process.stderr.write(`${command}: ${message}\n`);
  process.exitCode = 127;
});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
