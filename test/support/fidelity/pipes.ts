/** What carries messages both ways, as its texts: `zaguan stdio` as a child process, and HTTP+SSE. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage, request } from "node:http";
import { dirname, join } from "node:path";
import { cleanEnvironment, zaguanCommand } from "../spawn-zaguan.ts";

export interface Pipe {
  /** Whether a break between tokens cannot be told from another. */
  readonly inLines: boolean;
  send(message: string): void;
  /** The next message that has not been asked for yet. */
  next(): Promise<string>;
  close(): Promise<unknown>;
}

/** A hub of its own for one server of a configuration. */
export function openStdio(configFile: string, server: string): Pipe {
  const files = ["--config", configFile, "--data", `${configFile}.data`];
  const { command, args } = zaguanCommand("stdio", "--server", server, ...files);
  // Each is started for one server: what the first has compiled the others need not compile again.
  const env = cleanEnvironment({ NODE_COMPILE_CACHE: join(dirname(configFile), "compiled") });
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const inbox = new Inbox();
  const closed = once(child, "close");
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stdout.setEncoding("utf8").on(
    "data",
    splitter("\n", (line) => inbox.put(line)),
  );
  child.stdin.on("error", () => {});
  void closed.then(() => inbox.fail(new Error(`zaguan stdio ended (${child.exitCode}) and said:\n${said}`)));
  const close = async (): Promise<void> => {
    child.stdin.end();
    await closed;
    process.off("exit", killAtExit);
  };
  return { inLines: true, send: (message) => child.stdin.write(`${message}\n`), next: () => inbox.take(), close };
}

export async function openHttpSse(url: string): Promise<Pipe> {
  const [stream] = (await once(get(url), "response")) as [IncomingMessage];
  if (stream.statusCode !== 200) throw new Error(`${url} was answered ${stream.statusCode}`);
  const inbox = new Inbox();
  stream.setEncoding("utf8").on(
    "data",
    splitter("\n\n", (event) => takeEvent(event, inbox)),
  );
  stream.on("close", () => inbox.fail(new Error("the stream was closed")));
  stream.on("error", () => {});
  const endpoint = new URL(await inbox.take(), url);
  const close = async (): Promise<void> => void stream.destroy();
  return { inLines: true, send: (message) => post(endpoint, message, inbox), next: () => inbox.take(), close };
}

function takeEvent(event: string, inbox: Inbox): void {
  const data = event.split("\n").filter((line) => line.startsWith("data: "));
  if (data.length > 0) inbox.put(data.map((line) => line.slice("data: ".length)).join("\n"));
}

function post(url: URL, message: string, inbox: Inbox): void {
  const posting = request(url, { method: "POST", headers: { "content-type": "application/json" } });
  posting.on("response", (response) => {
    response.resume();
    if (response.statusCode !== 202) inbox.fail(new Error(`POST was answered ${response.statusCode}`));
  });
  posting.on("error", (error) => inbox.fail(error));
  posting.end(message);
}

/** Cuts at this text alone: other characters that some take for line breaks may stand in JSON. */
function splitter(end: string, onPart: (part: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const parts = (rest + text).split(end);
    rest = parts.pop() ?? "";
    for (const part of parts) onPart(part);
  };
}

/** Messages in order, whether they or their readers come first. */
class Inbox {
  readonly #messages: string[] = [];
  readonly #readers: PromiseWithResolvers<string>[] = [];
  #failure: Error | undefined;

  put(message: string): void {
    const reader = this.#readers.shift();
    if (reader) reader.resolve(message);
    else this.#messages.push(message);
  }

  take(): Promise<string> {
    const message = this.#messages.shift();
    if (message !== undefined) return Promise.resolve(message);
    if (this.#failure) return Promise.reject(this.#failure);
    const reader = Promise.withResolvers<string>();
    this.#readers.push(reader);
    return reader.promise;
  }

  fail(error: Error): void {
    this.#failure ??= error;
    for (const reader of this.#readers.splice(0)) reader.reject(error);
  }
}
