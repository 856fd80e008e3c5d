/**
 * A real Home Assistant, as scripts/home-assistant.ts installed it: in a configuration folder of its own, on a free port of
 * the loopback interface, with an owner and a token, running when handed over. It knows nothing of the hub's code.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { installed } from "../../scripts/home-assistant.ts";
import { HOST, writeConfiguration } from "./real-home/configuration.ts";
import { onboard, TOKEN_NAME } from "./real-home/onboarding.ts";
import { HomeAssistantProcess } from "./real-home/process.ts";

/** A second or two where nothing else runs. */
const START_LIMIT_MS = 120_000;

export interface RealHomeOptions {
  /** Behind our own configuration.yaml. */
  readonly moreYaml?: string | undefined;
}

export interface RealHome {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Long-lived, of the owner. */
  readonly token: string;
  readonly configDir: string;
  /** SIGKILL to all of it. What it had not yet written is lost: the input boolean is off again after a start. */
  kill(): Promise<void>;
  /** Again after `kill`, with the same port, folder and token; resolves when it is running. */
  start(): Promise<void>;
  /** Ends it and removes its folder. Once is enough. */
  stop(): Promise<void>;
}

/** Resolves when Home Assistant says that it is running. */
export async function startRealHome({ moreYaml }: RealHomeOptions = {}): Promise<RealHome> {
  const found = installed();
  if (!found.ok) throw new Error(found.reason);
  const home = new Home(found.python, await freePort(), moreYaml);
  try {
    await home.begin();
    return home;
  } catch (error) {
    await home.stop();
    throw error;
  }
}

class Home implements RealHome {
  readonly url: string;
  readonly configDir: string = mkdtempSync(join(tmpdir(), "zaguan-home-assistant-"));
  readonly #python: string;
  #token = "";
  #process: HomeAssistantProcess | undefined;

  constructor(python: string, port: number, moreYaml: string | undefined) {
    this.#python = python;
    this.url = `http://${HOST}:${port}`;
    writeConfiguration(this.configDir, port, moreYaml);
  }

  get token(): string {
    return this.#token;
  }

  async begin(): Promise<void> {
    this.#launch();
    await this.#until("it can be onboarded", async () => (await fetch(`${this.url}/api/onboarding`)).ok);
    this.#token = await onboard(this.url);
    await this.#until("it runs", () => this.#runs());
    // It writes a second later; killed before that it would come back without its owner.
    await this.#until("it has written the token down", () => this.#stored("auth").includes(`"${TOKEN_NAME}"`));
  }

  async start(): Promise<void> {
    this.#launch();
    await this.#until("it runs", () => this.#runs());
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
  }

  async stop(): Promise<void> {
    try {
      await this.#process?.stop();
    } finally {
      this.#process = undefined;
      rmSync(this.configDir, { recursive: true, force: true });
    }
  }

  #launch(): void {
    if (this.#process) throw new Error("Home Assistant is started already");
    this.#process = new HomeAssistantProcess(this.#python, this.configDir);
  }

  /** True only of this very house: somebody else may have got the port. */
  async #runs(): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const answer = await fetch(`${this.url}/api/config`, { headers });
    if (!answer.ok) return false;
    const config = (await answer.json()) as { state: string; recovery_mode: boolean; config_dir: string };
    if (config.recovery_mode) throw new Hopeless("Home Assistant is in recovery mode");
    if (config.config_dir !== this.configDir) throw new Hopeless(`another house answers: ${config.config_dir}`);
    return config.state === "RUNNING";
  }

  #stored(name: string): string {
    return readFileSync(join(this.configDir, ".storage", name), "utf8");
  }

  /** A condition that throws does not hold yet, as long as the start is not hopeless. */
  async #until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + START_LIMIT_MS;
    while (!(await this.#holdsNow(holds))) {
      this.#process?.check();
      if (performance.now() > end) throw new Error(`still not so: ${what}; it said:\n${this.#process?.output()}`);
      await sleep(50);
    }
  }

  async #holdsNow(holds: () => boolean | Promise<boolean>): Promise<boolean> {
    try {
      return await holds();
    } catch (error) {
      if (error instanceof Hopeless) throw error;
      return false;
    }
  }
}

class Hopeless extends Error {}

/** Free a moment ago; nobody promises more. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
