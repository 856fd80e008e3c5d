/** Lines to copy: what a shell makes of them is what was meant. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { quoted } from "../../kit/copy.ts";
import { addLine, allowLine, loadersIn } from "./refusal.ts";

test("a program with its environment", () => {
  const line = addLine({ name: "files", command: "npx", args: ["-y", "server", "/my home"], env: { KEY: "a b" } });
  assert.equal(line, "zaguan add files --env 'KEY=a b' -- npx -y server '/my home'");
});

test("a private address with its headers", () => {
  const line = addLine({ name: "tv", baseUrl: "http://192.168.1.4/mcp", headers: { "X-Key": "k" } });
  assert.equal(line, "zaguan add tv http://192.168.1.4/mcp --allow-private --header 'X-Key: k'");
});

test("a shell reads every word as it was", { skip: process.platform === "win32" }, () => {
  const words = ["it's", 'a "b"', "$HOME `id` $(id)", "a\nb", "*", "", "ñ", "\\", "!x", "a;b|c&d>e"];
  const script = `for word in ${words.map(quoted).join(" ")}; do printf '%s\\0' "$word"; done`;
  assert.deepEqual(execFileSync("sh", ["-c", script]).toString().split("\0").slice(0, -1), words);
});

test("the line for zaguan.json is JSON", () => {
  assert.equal(allowLine(["npx", "uvx", "npx"]), '"auth": { "allowedCommands": ["npx", "uvx"] }');
  assert.deepEqual(JSON.parse(`{${allowLine(['a"b'])}}`), { auth: { allowedCommands: ['a"b'] } });
});

test("variables that load other programs are seen", () => {
  assert.deepEqual(loadersIn({ LD_PRELOAD: "x", NODE_OPTIONS: "y", NODE_ENV: "z", KEY: "k" }), [
    "LD_PRELOAD",
    "NODE_OPTIONS",
  ]);
});
