/**
 * Row 16: a secret in every place that takes one, sources that repeat all they are told, and a search through everything that
 * leaves the hub or stays behind it. What is found, in whatever spelling, is a leak; the few places that have secrets by
 * decision are named with their reasons.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { type SmallBroker, startSmallBroker } from "../support/mqtt/small-broker.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { inFlight } from "../support/rpc-over-http.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { figure, sized } from "../support/scorecard.ts";
import { Canaries } from "../support/secrets/canaries.ts";
import { plantedConfig, plantRegistered } from "../support/secrets/planted.ts";
import { startTelltaleSite, type TelltaleSite } from "../support/secrets/telltale-site.ts";
import { BridgeClient } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const CALLS = sized(300, 2_000);
/** The one secret that must be in plain on the disk, and where: see the reasons. */
const BY_DECISION: readonly { readonly where: RegExp; readonly place: RegExp; readonly because: string }[] = [
  {
    where: /^cmdline of a child/,
    place: /^argument: /,
    because: "the user has put it into the child's own arguments, which the system shows",
  },
  {
    where: /^file .*\.db|^administrator: GET \/agents\/[^/]+\/bindings$/,
    place: /^fixed argument/,
    because: "what a link fixes is a setting that administrators read and change; SECURITY.md says so",
  },
  { where: /^made: /, place: /^a key of the hub/, because: "a key is shown once, when it is made" },
];

describe("secrets", () => {
  const canaries = new Canaries();
  const leaks: string[] = [];
  let site: TelltaleSite;
  let broker: SmallBroker;
  let hub: SpawnedZaguan;
  let client: RegistryClient;
  let searched = 0;
  let cleaned = 0;

  function search(where: string, text: string): void {
    searched++;
    if (text.includes("[redacted]")) cleaned++;
    for (const place of canaries.foundIn(text)) {
      const isDecided = BY_DECISION.some((one) => one.where.test(where) && one.place.test(place));
      if (!isDecided) leaks.push(`${where}: ${place}`);
    }
  }

  /** Asks, and looks through head and body. */
  async function asked(method: string, path: string, body?: unknown, by: RegistryClient = client): Promise<Answered> {
    const answer = await by.send(method, path, body);
    const who = by === client ? "administrator: " : "";
    search(`${who}${method} ${path}`, `${JSON.stringify([...answer.headers])}${answer.text}`);
    return answer;
  }

  before(async () => {
    site = await startTelltaleSite(canaries.plant("a token that OAuth gave"));
    const password = canaries.plant("MQTT: a password");
    broker = await startSmallBroker();
    broker.publish(`clients/${password}/state`, { password }, true);
    const config = plantedConfig(canaries, site.host, { port: broker.port, password });
    hub = await spawnZaguan({ config, args: ["--allow-private"] });
    client = new RegistryClient(hub.url);
    await plantRegistered(canaries, client, site.url);
  });

  after(async () => {
    await hub?.stop();
    await broker?.stop();
    await site?.close();
  });

  it("are in no answer of any door, whatever the sources repeat", async () => {
    for (const name of ["kept", "keptchild", "keptbroken", "remote", "child"])
      await asked("POST", `/mcp/servers/${name}/discover`);
    const { tools } = (await asked("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" })).body.result;
    const names: string[] = tools
      .map(({ name }: Message) => name)
      .filter((name: string) => !/house|^(?:get|set|turn|alarm)/.test(name));
    const servers: Message[] = (await asked("GET", "/mcp/servers")).body;
    for (const name of ["child", "lines", "remote", "basic", "events", "socket", "kept", "keptchild", "bearer"]) {
      assert.ok(servers.find(({ slug }) => slug === name)?.tools > 0, `${name} has tools`);
    }
    for (const [name, args] of [
      ["broker__list_topics", {}],
      ["broker__read_topic", { topic: "clients/[redacted]/state" }],
    ] as const) {
      const { body, text } = await asked("POST", "/mcp", {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      });
      assert.ok(body.result?.isError !== true && text.includes("[redacted]"), `${name}: ${text}`);
    }
    await asked("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "resources/list" });
    const secretArgument = canaries.plant("an argument of a call");
    const bridge = await BridgeClient.open(client);
    const doors: readonly ((name: string) => Promise<unknown>)[] = [
      (name) =>
        asked("POST", "/mcp", {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: { password: secretArgument } },
        }),
      (name) => asked("POST", `/openapi/tools/${name}`, { password: secretArgument }),
      (name) => asked("POST", "/api/tools/execute", { toolName: name, parameters: {}, sessionId: "s" }),
      async (name) => {
        const params = { name, arguments: { pin: secretArgument } };
        const { text } = await bridge.call({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
        search(`bridge ${name}`, text);
      },
    ];
    // Who dies is not called by everybody at once: that would be about something else.
    const lively = names.filter((name) => !name.endsWith("__die"));
    let next = 0;
    await inFlight(CALLS, 8, async () => {
      const at = next++;
      const name = lively[at % lively.length] ?? "";
      await doors[Math.floor(at / lively.length) % doors.length]?.(name);
    });
    for (const name of names.filter((each) => each.endsWith("child__die"))) await doors[0]?.(name);
    assert.ok(cleaned > CALLS / 2, `of ${CALLS} answers ${cleaned} had something to take out`);
    assert.ok(site.repeated() > 50, `the site was asked ${site.repeated()} times`);
    figure(16, "calls at trace level to sources that repeat what they are told", CALLS);
  });

  it("are in nothing that agents and keys bring with them", async () => {
    const key = (await client.done("POST", "/keys", { name: "visitor" })) as Message;
    canaries.know("a key of the hub", key.key);
    const agent = await client.done("POST", "/agents", { name: "helper", systemPrompt: "help", autonomy: "Auto" });
    const fixedArguments = { pin: canaries.plant("fixed argument of a link") };
    await client.done("POST", `/agents/${agent.id}/bindings`, { toolId: "child__result", config: { fixedArguments } });
    const made = await client.done("POST", `/agents/${agent.id}/key`);
    canaries.know("a key of the hub, of an agent", made.key);
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "child__result", arguments: {} } };
    for (const by of [
      client.withKey(key.key),
      client.withKey(made.key),
      client.withKey("zgn_notAKeyAtAll0123456789"),
    ]) {
      for (const path of ["/mcp", `/agents/helper/mcp`]) await asked("POST", path, call, by);
      for (const path of ["/mcp/servers", "/mcp/tools", "/calls", `/agents/${agent.id}/bindings`])
        await asked("GET", path, undefined, by);
    }
    await asked("GET", `/nothing?token=${encodeURIComponent(canaries.plant("a token in the query of a visitor", ""))}`);
  });

  it("are in no answer to whoever looks after the hub", async () => {
    const { paths } = (await asked("GET", "/openapi.json")).body as { paths: Record<string, object> };
    const plain = Object.entries(paths).flatMap(([path, ways]) =>
      "get" in ways && !path.includes("{") && path !== "/events" ? [path] : [],
    );
    for (const path of [...plain, "/", "/calls?limit=1000"]) await asked("GET", path);
    const listed: [string, string][] = [];
    for (const path of [
      "/mcp/servers",
      "/mcp/tools",
      "/agents",
      "/keys",
      "/admin/tools/api",
      "/admin/apis",
      "/calls?limit=1000",
    ]) {
      const { body } = await asked("GET", path);
      const rows: Message[] = Array.isArray(body) ? body : (Object.values(body).find(Array.isArray) ?? []);
      assert.ok(rows.length > 0, `${path} has rows`);
      listed.push(...rows.slice(0, 400).map(({ id }): [string, string] => [path.split("?")[0] ?? "", String(id)]));
    }
    for (const [path, id] of listed.filter(([each]) => each !== "/keys")) await asked("GET", `${path}/${id}`);
    for (const [, id] of listed.filter(([each]) => each === "/mcp/servers"))
      await asked("GET", `/mcp/servers/${id}/discovery`);
    for (const [, id] of listed.filter(([each]) => each === "/agents")) await asked("GET", `/agents/${id}/bindings`);
    for (const [, id] of listed.filter(([each]) => each === "/admin/apis"))
      await asked("GET", `/admin/apis/${id}/operations`);
    await asked("GET", "/api/export/providers");
    await searchEvents();
  });

  it("are in nothing that the commands print", async () => {
    const data = ["--data", join(hub.folder, "data"), "--config", hub.configFile];
    for (const words of [
      ["export"],
      ["export", "--form", "vscode"],
      ["servers"],
      ["servers", "--json"],
      ["server", "show", "kept"],
      ["server", "log", "keptbroken"],
      ["tools", "--json"],
      ["doctor"],
      ["status"],
    ]) {
      const { stdout, stderr } = await runZaguan([...words, ...data], hub.folder);
      assert.ok(stdout.length + stderr.length > 0, words.join(" "));
      search(`zaguan ${words.join(" ")}`, stdout + stderr);
    }
  });

  it("are in no command line, no file of the data folder and no line of the log", async () => {
    search("cmdline of the hub", cmdlineOf(hub.pid));
    for (const pid of hub.descendants()) search(`cmdline of a child: ${cmdlineOf(pid).slice(0, 200)}`, cmdlineOf(pid));
    searchFiles();
    await hub.stop();
    search("stdout", hub.stdout());
    for (const line of hub.stderr().split("\n")) search(`log: ${line.slice(0, 120)}`, line);
    assert.match(hub.stderr(), /"level":"trace"/);
  });

  it("were planted widely, searched for everywhere, and found nowhere", () => {
    assert.ok(canaries.count >= 24, `${canaries.count} secrets`);
    figure(16, "secrets planted", canaries.count);
    figure(16, "answers, files and lines searched", searched);
    figure(16, "occurrences", leaks.length);
    assert.deepEqual([...new Set(leaks)].slice(0, 400), []);
  });

  function cmdlineOf(pid: number): string {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      return "";
    }
  }

  function searchFiles(): void {
    const data = join(hub.folder, "data");
    const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.ok(
      files.some(({ name }) => name.endsWith(".db")),
      files.map(({ name }) => name).join(),
    );
    for (const { parentPath, name } of files) search(`file ${name}`, readFileSync(join(parentPath, name), "latin1"));
  }

  /** What the console is told while it looks. */
  async function searchEvents(): Promise<void> {
    const left = new AbortController();
    const response = await fetch(`${hub.url}/events`, { signal: left.signal });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    left.abort();
    search("GET /events", Buffer.from(value ?? []).toString());
  }
});
