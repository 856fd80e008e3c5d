/** The bare floor with a WebSocket in front and a stdio upstream behind: `node floor-websocket.mjs COMMAND ARGS…`. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import process from "node:process";
import { WebSocketServer } from "ws";
import { announce } from "./body.mjs";
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

const TEXT = { binary: false };

eachLine(child.stdout, (line) => {
  bringDown(line, (socket, text) => socket.send(Buffer.from(text, "latin1"), TEXT));
});

const server = createServer();
const sockets = new WebSocketServer({ server });
sockets.on("connection", (socket) => {
  socket.on("error", () => socket.terminate());
  socket.on("message", (data) => {
    const text = data.toString("latin1");
    const line = text.includes("\n") ? JSON.stringify(JSON.parse(text)) : text;
    write(`${takeUp(line, socket) ?? line}\n`);
  });
});
announce(server);
