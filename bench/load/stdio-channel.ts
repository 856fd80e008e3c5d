/** A program's own pipe, without anything between: shows what the upstream could do by itself. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { eachLine } from "../programs/lines.mjs";
import { INITIALIZE, INITIALIZED } from "./messages.ts";
import type { Load, Target } from "./protocol.ts";
import type { Channel, Slot } from "./slot.ts";

type StdioTarget = Extract<Target, { kind: "stdio" }>;

const ID = /"id":(\d+)/;

export async function openStdio({ command, args }: StdioTarget, { question, connections }: Load): Promise<Channel> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const pipe = new Pipe(child);
  if (question.era === "2025") await pipe.initialize();
  return {
    connect: async () => Array.from({ length: connections }, () => new PipeSlot(pipe)),
    close: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
}

class Pipe {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: string) => void>();
  #out = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    eachLine(child.stdout, (line: string) => this.#answered(line));
  }

  ask(id: number, message: string, onAnswer: (answer: string) => void): void {
    this.#waiting.set(id, onAnswer);
    this.write(message);
  }

  /** What comes together is written together, as the floor does it. */
  write(message: string): void {
    if (this.#out === "") setImmediate(() => this.#flush());
    this.#out += `${message}\n`;
  }

  async initialize(): Promise<void> {
    await new Promise<string>((resolve) => this.ask(0, INITIALIZE, resolve));
    this.write(INITIALIZED);
  }

  #flush(): void {
    this.#child.stdin?.write(this.#out, "latin1");
    this.#out = "";
  }

  #answered(line: string): void {
    const id = Number(ID.exec(line)?.[1]);
    const onAnswer = this.#waiting.get(id);
    this.#waiting.delete(id);
    onAnswer?.(line);
  }
}

class PipeSlot implements Slot {
  onAnswer: Slot["onAnswer"] = () => {};
  onFailure: (reason: string) => void = () => {};
  readonly #pipe: Pipe;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
  }

  send(id: number, message: string): void {
    this.#pipe.ask(id, message, (answer) => this.onAnswer(answer));
  }

  close(): void {}
}
