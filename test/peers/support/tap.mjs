// Stands between the hub and a stdio server and changes nothing: `node tap.mjs FILE COMMAND ARGS…`. Every byte that the
// hub sends is also written to FILE, so that a test can see what reached a server that says nothing about it.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [file, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
process.stdin.on("data", (bytes) => {
  appendFileSync(file, bytes);
  server.stdin.write(bytes);
});
process.stdin.on("end", () => server.stdin.end());
server.stdin.on("error", () => {});
server.on("exit", (code) => process.exit(code ?? 1));
