/**
 * What `mcp_pipe.py` of 78/mcp-calculator does between a socket and a program: every frame is a line of the program's input,
 * every line of its output a frame, which keeps the end of the line.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { WebSocket } from "ws";
import { cleanEnvironment } from "../../support/spawn-zaguan.ts";

export class Pipe {
  readonly #child: ChildProcess;

  constructor(socket: WebSocket, command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { env: cleanEnvironment(), stdio: ["pipe", "pipe", "ignore"] });
    const { stdin, stdout } = this.#child;
    stdin?.on("error", () => {});
    socket.on("error", () => {});
    socket.on("message", (data) => stdin?.write(`${data}\n`));
    socket.on("close", () => this.#child.kill());
    if (stdout) createInterface({ input: stdout }).on("line", (line) => socket.send(`${line}\n`));
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill();
    await once(this.#child, "exit");
  }
}
