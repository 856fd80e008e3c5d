/**
 * The bare floor for a stdio upstream: takes HTTP, relays to one child process and back, and does nothing else. What
 * remains is what any relay in this runtime must pay: `node floor-stdio.mjs COMMAND ARGS…`.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import process from "node:process";
import { accept, announce, answerJson, readBody } from "./body.mjs";
import { eachLine } from "./lines.mjs";
import { bringDown, takeUp } from "./relay.mjs";

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
child.on("exit", () => process.exit(1));

let out = "";

/** All that comes in one turn of the loop goes out in one write. */
function write(line) {
  if (out === "") setImmediate(flush);
  out += line;
}

function flush() {
  child.stdin.write(out, "latin1");
  out = "";
}

eachLine(child.stdout, (line) => bringDown(line, answerJson));

const server = createServer((request, response) => {
  readBody(request, (body) => {
    // A line ends at a line feed; JSON may have some between its values.
    const line = body.includes("\n") ? JSON.stringify(JSON.parse(body)) : body;
    const message = takeUp(line, response);
    write(`${message ?? line}\n`);
    if (message === undefined) accept(response);
  });
});
announce(server);
