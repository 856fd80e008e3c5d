/**
 * The commands of `examples/api-tools/` and of `docs/api-tools.md` run as their reader runs them, beside the weather service of
 * the example; what the documents show is what they print.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertPrinted, commandsIn, jsonIn } from "../support/document-commands.ts";
import { complaintOf, type Ran, runProgram } from "../support/run-program.ts";
import { type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/api-tools/", import.meta.url));
const GUIDE = fileURLToPath(new URL("../../docs/api-tools.md", import.meta.url));
const WRITTEN = { hub: "http://127.0.0.1:3003", weather: "http://127.0.0.1:8085" };

const curlMissing = await complaintOf("curl", ["--version"]);
const skip = curlMissing === undefined ? false : `no curl: ${curlMissing}`;

/** The example in a folder of its own, with a hub and a service that have other ports than the documents say. */
class Stage {
  readonly #folder = mkdtempSync(join(tmpdir(), "zaguan-api-tools-"));
  #weather: ChildProcess | undefined;
  #hub: SpawnedZaguan | undefined;
  #addresses = WRITTEN;

  async open(config?: object): Promise<void> {
    cpSync(EXAMPLE, this.#folder, { recursive: true });
    this.#weather = spawn(process.execPath, [join(EXAMPLE, "weather.mjs"), "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#addresses = { ...WRITTEN, weather: await addressOf(this.#weather) };
    for (const file of readdirSync(this.#folder)) this.#readdress(join(this.#folder, file));
    const env = { WEATHER_KEY: "open-sesame" };
    const written = config && (JSON.parse(this.#here(JSON.stringify(config))) as object);
    this.#hub = await spawnZaguan({ folder: this.#folder, env, config: written });
    this.#addresses = { ...this.#addresses, hub: this.#hub.url };
  }

  /** What it prints, on both ways, with the addresses that are written. */
  async run(script: string): Promise<Ran> {
    const { command, args } = zaguanCommand();
    const zaguan = `zaguan() { '${command}' '${args.join("' '")}' "$@"; }`;
    const words = ["-eu", "-c", `exec 2>&1\n${zaguan}\n${this.#here(script)}`];
    const ran = await runProgram("sh", words, { cwd: this.#folder, env: { ZAGUAN_URL: this.#addresses.hub } });
    const { hub, weather } = this.#addresses;
    return { ...ran, stdout: ran.stdout.replaceAll(hub, WRITTEN.hub).replaceAll(weather, WRITTEN.weather) };
  }

  async close(): Promise<void> {
    try {
      await this.#hub?.stop();
    } finally {
      this.#weather?.kill();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  #here(text: string): string {
    const { hub, weather } = this.#addresses;
    return text.replaceAll(WRITTEN.hub, hub).replaceAll(WRITTEN.weather, weather);
  }

  #readdress(file: string): void {
    writeFileSync(file, this.#here(readFileSync(file, "utf8")));
  }
}

async function addressOf(service: ChildProcess): Promise<string> {
  for await (const chunk of service.stdout ?? []) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(chunk)) ?? [];
    if (address !== undefined) return address;
  }
  return assert.fail("the weather service ended");
}

describe("commands in documents", { skip, concurrency: true }, () => {
  for (const [what, file, config] of [
    ["examples/api-tools/README.md", join(EXAMPLE, "README.md"), undefined],
    ["docs/api-tools.md", GUIDE, jsonIn(GUIDE, '"apiTools"')],
  ] as const) {
    describe(what, { concurrency: 1 }, () => {
      const stage = new Stage();
      before(() => stage.open(config));
      after(() => stage.close());

      for (const { name, script, printed } of commandsIn(file)) {
        it(name, async () => {
          const { code, stdout } = await stage.run(script);
          assert.equal(code, 0, stdout);
          assert.doesNotMatch(stdout, /"title":"(?:Bad Request|Forbidden|Not Found)"|"isError":true/);
          if (printed !== undefined) assertPrinted(stdout, printed);
        });
      }
    });
  }
});
