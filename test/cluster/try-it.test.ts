/** `npm run cluster` as somebody uses it who wants to see a cluster: it starts, answers through the balancer, and leaves nothing behind. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { NO_NATS } from "../support/nats.ts";
import { NO_POSTGRES } from "../support/postgres.ts";
import { isRunning, until } from "../support/processes.ts";
import { programPath } from "../support/proxy-programs.ts";
import { cleanEnvironment, descendantsOf } from "../support/spawn-zaguan.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/cluster.ts", import.meta.url));
const READY_MS = 90_000;
const NODES = ["node-1", "node-2", "node-3"];

/** The balancers of which each run is one, and why one is left out here. */
const BALANCERS: readonly (readonly [string, string | false])[] = ["haproxy", "nginx", "own"].map((name) => {
  const isThere = name === "own" || programPath(name) !== undefined;
  return [name, !isThere && `${name} is not installed`] as const;
});

describe("npm run cluster", { skip: NO_POSTGRES || NO_NATS }, () => {
  /** The script's temporary folder; the user that PostgreSQL runs as has to find its own in it. */
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "zaguan-try-it-"));
    chmodSync(folder, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const [balancer, skip] of BALANCERS) {
    it(`lets every node answer behind ${balancer}, and leaves nothing behind`, { skip }, async () => {
      const run = new Run(folder, "--port", "0", "--balancer", balancer);
      try {
        await run.ready();
        const hub = run.find(/hub +(http:\S+)\/mcp/);
        for (const name of NODES)
          assert.match(run.find(new RegExp(`${name} +(http://127\\.0\\.0\\.1:\\d+) `)), /:\d+$/);
        assert.equal(run.find(/console +(http:\S+)/), `${hub}/`);
        // A node that stood still for a second is left out for a moment, by the balancer or by the others.
        const answered = new Set<string>();
        await until("every node answers, and sees all of them", async () => {
          const { node, nodes } = JSON.parse(await ask(`${hub}/health/cluster`));
          if ([...nodes].sort().join() === NODES.join()) answered.add(node);
          return answered.size === NODES.length;
        });
        assert.deepEqual([...answered].sort(), NODES);
        for (const isOn of [true, false, true]) {
          const switched = await called(hub, "set_light_state", { name: "salon", on: isOn });
          assert.match(switched, /"structuredContent":\{"ok":true\}/);
          for (const _ of NODES) assert.match(await called(hub, "get_all_states", {}), new RegExp(`"salon":${isOn}`));
        }
        const curl = run.find(/^ +curl \S+ -H '[^']+' -d '(.*)'$/m);
        assert.match(await ask(`${hub}/mcp`, curl), /"ok":true/);
        assert.match(await ask(`${hub}/`), /<html/);
        await run.end("SIGINT");
        assert.equal(await isOpen(hub), false);
      } finally {
        run.kill();
      }
    });
  }

  it("ends in order while it is still starting", async () => {
    const run = new Run(folder, "--port", "0", "--nodes", "1", "--balancer", "own");
    try {
      await until("PostgreSQL or NATS is there", () => run.said.includes("✓"), READY_MS);
      await run.end("SIGTERM");
    } finally {
      run.kill();
    }
  });

  it("ends what does not end by itself at a second signal", async () => {
    const run = new Run(folder, "--port", "0", "--nodes", "1", "--balancer", "own");
    try {
      await run.ready();
      const below = descendantsOf(run.child.pid ?? 0);
      process.kill(Number(run.find(/kill -9 (\d+)/)), "SIGSTOP");
      const exit = once(run.child, "exit");
      const impatience = setInterval(() => run.child.kill("SIGINT"), 500);
      const [code] = await exit;
      clearInterval(impatience);
      await until("nothing that it started is left", () => !below.some(isRunning));
      assert.deepEqual([code, readdirSync(folder)], [0, []]);
      assert.match(await run.complaint, /^node-1 was killed: [^\n]+\n$/);
    } finally {
      run.kill();
    }
  });

  it("goes on behind the balancer when a node is killed", async () => {
    const run = new Run(folder, "--port", "0", "--nodes", "2", "--balancer", BALANCERS[0]?.[1] ? "own" : "haproxy");
    try {
      await run.ready();
      const hub = run.find(/hub +(http:\S+)\/mcp/);
      process.kill(Number(run.find(/kill -9 (\d+)/)), "SIGKILL");
      await until("it says so", () => run.said.includes("node-1 has ended"), READY_MS);
      // What it held is taken over when its lease has ended, and calls wait for that.
      assert.match(await called(hub, "set_light_state", { name: "cocina", on: true }), /"ok":true/);
      await run.end("SIGINT");
    } finally {
      run.kill();
    }
  });

  const refused: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
    "too many nodes": [["--nodes", "10"], /^npm run cluster: --nodes takes a whole number from 1 to 9\n$/],
    "a balancer that is none": [
      ["--balancer", "traefik"],
      /^npm run cluster: --balancer is one of haproxy, nginx, own\n$/,
    ],
    "a database without a secret": [
      ["--port", "0", "--database", "postgres://db/x"],
      /^npm run cluster: --database needs ZAGUAN_CLUSTER_SECRET/,
    ],
    "an option that is none": [["--fast"], /^npm run cluster: Unknown option '--fast'/],
  };
  for (const [what, [args, line]] of Object.entries(refused)) {
    it(`refuses ${what} in one line`, async () => {
      const run = new Run(folder, ...args);
      const [code] = await once(run.child, "exit");
      assert.equal(code, 1);
      assert.match(await run.complaint, line);
    });
  }

  it("refuses a port that is taken in one line", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const run = new Run(folder, "--port", `${port}`);
    const [code] = await once(run.child, "exit");
    server.close();
    assert.equal(code, 1);
    assert.equal(
      await run.complaint,
      `npm run cluster: port ${port} cannot be used (EADDRINUSE): choose another with --port\n`,
    );
  });

  it("says in one line why a node does not start", async () => {
    const database = ["--database", "postgres://zaguan:hush@127.0.0.1:1/zaguan"];
    const env = { ZAGUAN_CLUSTER_SECRET: "Zq3vT8mK1xR6wB9nD4sF7hJ2pL5cY0gA" };
    const run = new Run({ folder, env }, "--port", "0", "--nodes", "1", ...database, "--nats", "nats://127.0.0.1:1");
    const [code] = await once(run.child, "exit");
    assert.equal(code, 1);
    assert.match(await run.complaint, /^npm run cluster: [^\n]*nothing listens there\n$/);
    assert.deepEqual(readdirSync(folder), []);
  });
});

interface RunPlace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** One run of the script, with a temporary folder of its own. */
class Run {
  readonly child: ChildProcess;
  /** All that it said on stderr. */
  readonly complaint: Promise<string>;
  readonly #folder: string;
  said = "";

  constructor(place: string | RunPlace, ...args: readonly string[]) {
    const { folder, env } = typeof place === "string" ? { folder: place, env: {} } : place;
    this.#folder = folder;
    this.child = spawn(process.execPath, [SCRIPT, ...args], {
      env: { ...cleanEnvironment(env), TMPDIR: folder, ...natsProgram() },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (this.said += chunk));
    this.complaint = this.child.stderr ? text(this.child.stderr) : Promise.resolve("");
  }

  async ready(): Promise<void> {
    await until("it is up or has ended", () => this.said.includes("Ctrl+C") || this.#isOver(), READY_MS);
    assert.ok(!this.#isOver(), this.said + (this.#isOver() ? await this.complaint : ""));
  }

  /** What the first group of the pattern stands for in what it said. */
  find(pattern: RegExp): string {
    return pattern.exec(this.said)?.[1] ?? assert.fail(`${pattern} is not in:\n${this.said}`);
  }

  /** No process that it has started is left, and no file. */
  async end(signal: "SIGINT" | "SIGTERM"): Promise<void> {
    const below = descendantsOf(this.child.pid ?? 0);
    assert.ok(below.length > 0);
    this.child.kill(signal);
    const [code] = await once(this.child, "exit");
    assert.deepEqual([code, await this.complaint], [0, ""], this.said);
    await until("nothing that it started is left", () => !below.some(isRunning));
    assert.deepEqual(readdirSync(this.#folder), []);
  }

  kill(): void {
    if (!this.#isOver()) this.child.kill("SIGKILL");
  }

  #isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

/** Named by a variable, it would be lost with all others that are Zaguan's. */
function natsProgram(): Readonly<Record<string, string>> {
  const given = process.env["ZAGUAN_NATS_SERVER"];
  return given ? { ZAGUAN_NATS_SERVER: given } : {};
}

function called(hub: string, name: string, args: object): Promise<string> {
  return ask(
    `${hub}/mcp`,
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  );
}

/** Over a connection of its own, as curl does. */
function ask(url: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const headers = { "content-type": "application/json", accept: "application/json, text/html" };
    request(url, { method, agent: false, headers }, (answer) => resolve(text(answer)))
      .on("error", reject)
      .end(body);
  });
}

function isOpen(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => resolve(Boolean(socket.destroy())));
    socket.on("error", () => resolve(false));
  });
}
