/**
 * Somebody hands in commands wherever something can be registered, changed, tried or imported, in every shape that has
 * worked elsewhere: nothing is started, whoever they are. Row 15 of the scorecard.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { until } from "../support/processes.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { inFlight } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { makeKey } from "../support/seed-003.ts";
import { toolBody } from "../support/seed-004.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

/** Of so many payloads one. */
const EVERY = sized(6, 1);
const AT_ONCE = 4;
const PUBLIC = "https://nowhere.invalid/mcp";

const folder = mkdtempSync(join(tmpdir(), "zaguan-commands-"));
const watched = join(folder, "watched");
mkdirSync(watched);
after(() => rmSync(folder, { recursive: true, force: true }));

/** What would run, and leave a file that tells. */
function words(mark: string): readonly (readonly string[])[] {
  const file = join(watched, mark);
  const touch = `touch ${file}`;
  return [
    ["sh", "-c", touch],
    ["/bin/bash", "-c", touch],
    ["node", "-e", `require("fs").writeFileSync("${file}","")`],
    ["npx", "-c", touch],
    ["python3", "-c", `open("${file}","w")`],
    ["perl", "-e", `open(F,">${file}")`],
    ["env", "sh", "-c", touch],
    ["docker", "run", "--entrypoint", "sh", "x", "-c", touch],
    [`sh -c '${touch}'`],
    [`;${touch};`],
    [`$(${touch})`],
    ["../../../../bin/sh", "-c", touch],
  ];
}

const LOADERS = ["LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "PYTHONSTARTUP", "PATH"];

/** 60 shapes of one wish. */
const PAYLOADS: readonly object[] = words("f").flatMap((_, n) => {
  const [command = "", ...args] = words(`f${n}`)[n] ?? [];
  const line = [command, ...args].join(" ");
  const loader = LOADERS[n % LOADERS.length] ?? "";
  return [
    { command, args },
    { command, args, cwd: "/", env: { [loader]: join(watched, "x") } },
    { type: "stdio", transport: "stdio", command: line, baseUrl: PUBLIC },
    { baseUrl: `stdio:${line}`, url: `file:///bin/sh?${encodeURIComponent(line)}`, command: [command, ...args] },
    { name: `n;${line}`, baseUrl: PUBLIC, authType: "none", headers: { "x-a": `$(${line})` }, credentials: line },
  ];
});

/** Sends one of them, and uses what came of it. */
type Route = (http: RegistryClient, payload: object, name: string) => Promise<Answered>;

const ROUTES: Readonly<Record<string, Route>> = {
  "POST /mcp/servers": async (http, payload, name) => {
    const made = await http.post("/mcp/servers", { name, authType: "none", ...payload });
    if (made.status === 201) await http.delete(`/mcp/servers/${made.body.id}`);
    return made;
  },
  "POST /mcp/servers/preview": (http, payload, name) =>
    http.post("/mcp/servers/preview", { name, authType: "none", ...payload }),
  "PATCH /mcp/servers/{id}": async (http, payload) => {
    const changed = await http.patch("/mcp/servers/kept", payload);
    await http.patch("/mcp/servers/kept", { baseUrl: PUBLIC });
    return changed;
  },
  "POST /admin/tools/api": (http, payload, name) =>
    http.post("/admin/tools/api", { ...toolBody(name, "/x"), baseUrl: "https://nowhere.invalid", ...payload }),
  "POST /api/import/providers": (http, payload, name) =>
    http.post("/api/import/providers", [{ name, code: name, ...payload, mcpServers: { [name]: payload }, tools: [] }]),
  "POST /admin/apis": (http, payload, name) => {
    const info = { title: name, version: "1" };
    const document = JSON.stringify({ openapi: "3.1.0", info, servers: [{ url: "stdio:sh", ...payload }], paths: {} });
    return http.post("/admin/apis", { name, document, ...payload });
  },
  "POST /agents": (http, payload, name) => http.post("/agents", { name, mcpServers: { [name]: payload }, ...payload }),
};

describe(`${PAYLOADS.length} ways to hand in a command`, () => {
  let hub: SpawnedZaguan;
  let people: Readonly<Record<string, RegistryClient>>;
  let below: readonly number[];

  before(async () => {
    hub = await spawnZaguan({ config: { auth: { requireKey: true } } });
    const nobody = new RegistryClient(hub.url);
    const admin = nobody.withKey(await makeKey(hub, "admin", "--admin"));
    people = { nobody, "a plain key": nobody.withKey(await makeKey(hub, "alice")), "an administrator's key": admin };
    await admin.done("POST", "/mcp/servers", { name: "kept", baseUrl: PUBLIC, authType: "none" });
    below = hub.descendants();
  });
  after(() => hub?.stop());

  it("work where the owner has allowed the command, or the watched folder would prove nothing", async (t) => {
    const open = await spawnZaguan({ config: { auth: { allowedCommands: ["sh"] } } });
    t.after(() => open.stop());
    const local = new RegistryClient(open.url);
    const args = ["-c", `touch ${join(watched, "allowed")}`];
    await local.done("POST", "/mcp/servers", { name: "allowed", command: "sh", args, authType: "none" });
    await local.post("/mcp/servers/allowed/discover");
    await until("it has run", () => existsSync(join(watched, "allowed")));
    rmSync(join(watched, "allowed"));
  });

  for (const [route, hand] of Object.entries(ROUTES)) {
    it(`start nothing by ${route}`, async () => {
      const some = PAYLOADS.filter((_, index) => index % EVERY === 0);
      for (const [who, http] of Object.entries(people)) {
        await inFlight(some.length, AT_ONCE, async (index) => {
          const payload = some[index] ?? {};
          const { status, text } = await hand(http, payload, `p${index}`);
          const told = `${who}: ${JSON.stringify(payload)} was answered ${status} ${text}`;
          if (who !== "an administrator's key") assert.ok([401, 403].includes(status), told);
          else if (route.includes("/mcp/servers") && "command" in payload)
            assert.ok(status >= 400 && status < 500, told);
        });
      }
    });
  }

  it("have left no file and no process behind", () => {
    const tried = Math.ceil(PAYLOADS.length / EVERY) * Object.keys(ROUTES).length * Object.keys(people).length;
    const started = hub.descendants().filter((pid) => !below.includes(pid));
    const files = readdirSync(watched);
    figure(
      15,
      "commands that ran",
      `${files.length} of ${tried} (${PAYLOADS.length} payloads), ${started.length} new processes`,
    );
    assert.deepEqual([files, started], [[], []]);
  });
});
