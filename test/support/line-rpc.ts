/** A client of a child process that speaks JSON-RPC in lines: what it said is kept, and the way it ended. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { until } from "./processes.ts";
import { cleanEnvironment } from "./spawn-zaguan.ts";

// biome-ignore lint/suspicious/noExplicitAny: whatever the child said; the assertions say what is expected.
export type Message = any;

export class LineRpc {
  readonly received: Message[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #killAtExit = (): void => this.kill();
  #taken = 0;
  #rest = "";
  #stderr = "";

  constructor({ command, args }: { command: string; args: readonly string[] }, cwd: string) {
    this.#child = spawn(command, args, { cwd, env: cleanEnvironment(), stdio: "pipe" });
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => this.#split(text));
    process.once("exit", this.#killAtExit);
  }

  send(message: object | string): void {
    const line = typeof message === "string" ? message : JSON.stringify(message);
    this.#child.stdin.write(`${line}\n`);
  }

  /** The next message that has not been asked for yet. */
  async next(): Promise<Message> {
    const place = this.#taken++;
    await until(`message ${place + 1} of a child that said: ${this.#stderr}`, () => this.received.length > place);
    return this.received[place];
  }

  /** The first of all messages that is one, whenever it comes. */
  async first(what: string, isIt: (message: Message) => boolean): Promise<Message> {
    await until(`${what} of a child that said: ${this.#stderr}`, () => this.received.some(isIt));
    return this.received.find(isIt);
  }

  ask(message: object | string): Promise<Message> {
    this.send(message);
    return this.next();
  }

  /** Ends its input, and resolves with its exit code when it has gone and all that it said is here. */
  async end(): Promise<number | null> {
    const closed = once(this.#child, "close");
    this.#child.stdin.end();
    await closed;
    process.off("exit", this.#killAtExit);
    return this.#child.exitCode;
  }

  /** For the end of a test that failed. */
  kill(): void {
    this.#child.kill("SIGKILL");
    process.off("exit", this.#killAtExit);
  }

  #split(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.received.push(JSON.parse(line));
  }
}
