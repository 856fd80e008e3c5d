import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { makeTool } from "../../test/support/make-call.ts";
import {
  ADMIN,
  found,
  LOCAL,
  type OpenRegistry,
  openRegistry,
  openSecrets,
  PLAIN,
  type Probe,
  serverInput,
} from "../../test/support/registry-ports.ts";
import type { ServerConfig } from "../config/types.ts";
import { ZaguanError } from "../errors.ts";
import { serverConfigOf } from "./connection.ts";
import { type Mirrored, ServerRegistry } from "./servers.ts";

let open: OpenRegistry;

beforeEach(async () => {
  open = await openRegistry();
});

async function toolsOf(name: string): Promise<[name: string, missing: boolean][]> {
  const { id } = await open.servers.find(name);
  const tools = await open.store.registry.tools.list({ serverId: id, withMissing: true });
  return tools.map((tool) => [tool.name, tool.missing]);
}

function failing(reason: string): Probe {
  return async (_server, _signal, onStep) => {
    onStep("WebSocket", reason);
    throw new ZaguanError("FORBIDDEN_ADDRESS", { params: { address: "10.0.0.1", reason } });
  };
}

const SHOWN = "https://[redacted]@doors.example/mcp?token=[redacted]#x";

/** As the configuration file says it. */
const CONFIGURED: ServerConfig = {
  ...serverConfigOf(
    {
      authType: "none",
      allowPrivate: false,
      baseUrl: "https://user:secret@doors.example/mcp?token=secret#x",
    },
    {},
  ),
};

describe("registering a server", () => {
  it("keeps it and brings it under the hub; it is not asked for anything", async () => {
    open.probe = () => assert.fail("it was asked");
    const record = await open.servers.create(serverInput("lamps"), PLAIN);
    assert.deepEqual([record.name, record.status, record.origin], ["lamps", "active", "registered"]);
    assert.equal(open.attached.get("lamps")?.url, "https://lamps.example/mcp");
    assert.deepEqual(await open.servers.find(record.id), record);
    assert.deepEqual(await open.servers.find("LAMPS"), record);
  });

  it("keeps its secrets under seal, and the hub has them", async () => {
    const secret = { credentials: "k", authType: "apikey", headers: { a: "b" } } as const;
    const record = await open.servers.create(serverInput("lamps", secret), PLAIN);
    const { sealed, ...shown } = record;
    assert.ok(sealed);
    assert.ok(!JSON.stringify(shown).includes('"k"'));
    assert.deepEqual(open.attached.get("lamps")?.headers, { a: "b", "x-api-key": "k" });
  });

  it("keeps a token in its address, or in its arguments, under seal too", async () => {
    const baseUrl = "https://lamps.example/mcp?page=2&token=hUsh9x8y7z";
    const record = await open.servers.create(serverInput("lamps", { baseUrl }), PLAIN);
    assert.equal(record.baseUrl, "https://lamps.example/mcp?page=2&token=[redacted]");
    const program = { baseUrl: undefined, command: "node", args: ["a.js", "--password", "hUsh9x8y7z"] };
    const child = await open.servers.create(serverInput("child", program), ADMIN);
    assert.deepEqual(child.args, ["a.js", "--password", "[redacted]"]);
    assert.equal(open.attached.get("lamps")?.url, baseUrl);
    assert.deepEqual(open.attached.get("child")?.args, program.args);
    open.probe = failing("no");
    await assert.rejects(open.servers.discover("lamps"), (error: ZaguanError) => !/hUsh/.test(error.message));
  });

  it("is refused if the name is taken, in whatever case", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    await assert.rejects(open.servers.create(serverInput("LAMPS"), PLAIN), { code: "NAME_TAKEN" });
    assert.deepEqual([...open.attached.keys()], ["lamps"]);
  });

  it("is refused where it may not be, and leaves nothing behind", async () => {
    const refusals = [
      [serverInput("a", { baseUrl: "http://10.0.0.1" }), ADMIN, "FORBIDDEN_ADDRESS"],
      [serverInput("a", { baseUrl: undefined, command: "sh" }), ADMIN, "COMMAND_NOT_ALLOWED"],
      [serverInput("a", { baseUrl: undefined }), ADMIN, "INVALID_PARAMS"],
      [serverInput("a", { command: "node" }), ADMIN, "INVALID_PARAMS"],
    ] as const;
    for (const [input, principal, code] of refusals) {
      await assert.rejects(open.servers.create(input, principal), { code });
    }
    await assert.rejects(open.servers.find("a"), { code: "NO_SUCH" });
    assert.equal(open.attached.size, 0);
  });

  it("remembers that a private address was allowed to whoever said it", async () => {
    const input = serverInput("lamps", { baseUrl: "http://localhost:1" });
    assert.equal((await open.servers.create(input, LOCAL)).allowPrivate, true);
    assert.equal(open.attached.get("lamps")?.policy.allowPrivate, true);
  });
});

describe("changing a server", () => {
  it("leaves what is not said, secrets included", async () => {
    const input = serverInput("lamps", { credentials: "k", authType: "apikey", headers: { a: "b" } });
    const { id } = await open.servers.create(input, PLAIN);
    const after = await open.servers.change("lamps", { headers: { c: "d" } }, PLAIN);
    assert.deepEqual([after.id, after.baseUrl, after.authType], [id, "https://lamps.example/mcp", "apikey"]);
    assert.deepEqual(open.attached.get("lamps")?.headers, { c: "d", "x-api-key": "k" });
    await open.servers.change("lamps", { credentials: "new" }, PLAIN);
    assert.deepEqual(open.attached.get("lamps")?.headers, { c: "d", "x-api-key": "new" });
    await open.servers.change("lamps", { credentials: "newer", headers: { e: "f" } }, PLAIN);
    assert.deepEqual(open.attached.get("lamps")?.headers, { e: "f", "x-api-key": "newer" });
    await open.servers.change("lamps", { headers: { g: "h" }, env: {} }, PLAIN);
    assert.deepEqual(open.attached.get("lamps")?.headers, { g: "h", "x-api-key": "newer" });
    await open.servers.change("lamps", { description: "of the hall" }, PLAIN);
    assert.deepEqual(open.attached.get("lamps")?.headers, { g: "h", "x-api-key": "newer" });
  });

  it("leaves a program's variables where only its headers or credentials are said, and these where only those are", async () => {
    const program = { baseUrl: undefined, command: "node", env: { TOKEN: "t" } };
    await open.servers.create(serverInput("lamps", program), ADMIN);
    await open.servers.change("lamps", { credentials: "k" }, ADMIN);
    assert.deepEqual(open.attached.get("lamps")?.env, { TOKEN: "t" });
    await open.servers.change("lamps", { credentials: "k", headers: { a: "b" } }, ADMIN);
    assert.deepEqual(open.attached.get("lamps")?.env, { TOKEN: "t" });
    await open.servers.change("lamps", { env: { OTHER: "o" } }, ADMIN);
    assert.deepEqual(open.attached.get("lamps")?.env, { OTHER: "o" });
  });

  it("leaves the token of its address where that is sent back as it was shown, or not at all", async () => {
    const baseUrl = "https://lamps.example/mcp?token=hUsh9x8y7z";
    const shown = (await open.servers.create(serverInput("lamps", { baseUrl }), PLAIN)).baseUrl;
    const secrets = { credentials: "k", headers: { a: "b" }, env: {} };
    for (const change of [
      { baseUrl: shown },
      { description: "x" },
      { name: "lights" },
      { name: "lamps", ...secrets },
    ]) {
      await open.servers.change((await open.store.registry.servers.list())[0]?.name ?? "", change, PLAIN);
      assert.deepEqual(
        [...open.attached.values()].map(({ url }) => url),
        [baseUrl],
        JSON.stringify(change),
      );
    }
    await open.servers.change("lamps", { baseUrl: "https://lamps.example/mcp?token=other" }, PLAIN);
    assert.equal(open.attached.get("lamps")?.url, "https://lamps.example/mcp?token=other");
    await open.servers.change("lamps", { baseUrl: "https://elsewhere.example/mcp?token=[redacted]" }, PLAIN);
    assert.equal(open.attached.get("lamps")?.url, "https://elsewhere.example/mcp?token=[redacted]");
  });

  it("may give it another name, under which its secrets open too", async () => {
    await open.servers.create(serverInput("lamps", { credentials: "k", authType: "apikey" }), PLAIN);
    await open.servers.change("lamps", { name: "lights" }, PLAIN);
    assert.deepEqual([...open.attached.keys()], ["lights"]);
    assert.deepEqual(open.attached.get("lights")?.headers, { "x-api-key": "k" });
    await assert.rejects(open.servers.find("lamps"), { code: "NO_SUCH" });
  });

  it("sends no secret to another place than the one it was given for", async () => {
    await open.servers.create(
      serverInput("lamps", { credentials: "k", authType: "apikey", headers: { c: "d" } }),
      PLAIN,
    );
    await open.servers.change("lamps", { baseUrl: "https://lamps.example/other" }, PLAIN);
    assert.deepEqual(open.attached.get("lamps")?.headers, { c: "d", "x-api-key": "k" });
    await open.servers.change("lamps", { baseUrl: "https://elsewhere.example/mcp" }, PLAIN);
    assert.deepEqual(open.attached.get("lamps")?.headers, {});
    await open.servers.change("lamps", { baseUrl: "https://third.example/mcp", credentials: "new" }, PLAIN);
    assert.deepEqual(open.attached.get("lamps")?.headers, { "x-api-key": "new" });
  });

  it("puts a program in the place of an address, or the other way round", async () => {
    await open.servers.create(serverInput("lamps"), ADMIN);
    const program = await open.servers.change("lamps", { command: "node", args: ["lamps.js"] }, ADMIN);
    assert.deepEqual([program.baseUrl, program.command, program.args], [undefined, "node", ["lamps.js"]]);
    const address = await open.servers.change("lamps", { baseUrl: "https://lamps.example" }, ADMIN);
    assert.deepEqual([address.baseUrl, address.command, address.args], ["https://lamps.example", undefined, undefined]);
  });

  it("keeps its tools in the hub, and clients are told", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    await open.servers.discover("lamps");
    const before = open.announced;
    await open.servers.change("lamps", { name: "lights" }, PLAIN);
    assert.deepEqual(open.offered.get("lights"), ["on", "off"]);
    assert.equal(open.announced, before + 1);
  });

  it("is held to the same rules as registering", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    await open.servers.create(serverInput("doors"), PLAIN);
    const changes = [
      [{ baseUrl: "http://10.0.0.1" }, ADMIN, "FORBIDDEN_ADDRESS"],
      [{ command: "sh" }, ADMIN, "COMMAND_NOT_ALLOWED"],
      [{ name: "Doors" }, PLAIN, "NAME_TAKEN"],
    ] as const;
    for (const [change, principal, code] of changes) {
      await assert.rejects(open.servers.change("lamps", change, principal), { code });
    }
    assert.equal(open.attached.get("lamps")?.url, "https://lamps.example/mcp");
    await assert.rejects(open.servers.change("nobody", {}, PLAIN), { code: "NO_SUCH" });
  });
});

describe("removing a server", () => {
  it("takes it and its tools out of the hub and the registry, and tells clients", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    await open.servers.discover("lamps");
    const before = open.announced;
    await open.servers.remove("lamps");
    assert.equal(open.attached.size, 0);
    assert.equal(open.announced, before + 1);
    assert.equal(await open.store.registry.tools.count({ withMissing: true }), 0);
    await assert.rejects(open.servers.remove("lamps"), { code: "NO_SUCH" });
  });
});

describe("discovering a server's tools", () => {
  it("keeps what it offers, how it was reached and what was tried, and the hub learns of it", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    const tools = await open.servers.discover("lamps");
    assert.deepEqual(
      tools.map(({ name, scope, serverName }) => [name, scope, serverName]),
      [
        ["on", "global", "lamps"],
        ["off", "global", "lamps"],
      ],
    );
    assert.deepEqual(open.learned, [["lamps", ["on", "off"]]]);
    const { status, transport, lastSeenUtc, lastError } = await open.servers.find("lamps");
    assert.deepEqual([status, transport, lastError], ["active", "bare JSON-RPC", undefined]);
    assert.ok(lastSeenUtc);
    const [entry] = await open.servers.log("lamps");
    assert.deepEqual([entry?.ok, entry?.tools], [true, 2]);
  });

  it("keeps the ids of tools that are still there, and marks those that are not", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    const [on] = await open.servers.discover("lamps");
    open.probe = async () => found("dim", "on");
    const [, again] = await open.servers.discover("lamps");
    assert.equal(again?.id, on?.id);
    assert.deepEqual(await toolsOf("lamps"), [
      ["dim", false],
      ["on", false],
      ["off", true],
    ]);
  });

  it("keeps a hostile tool apart, with the reason, and the others as they are", async () => {
    const hostile = makeTool("hostile", { description: "x".repeat(300_000) });
    open.probe = async () => ({ tools: [...found("on").tools, hostile], transport: "HTTP" });
    await open.servers.create(serverInput("lamps"), PLAIN);
    const tools = await open.servers.discover("lamps");
    assert.deepEqual(
      tools.map(({ name, quarantine }) => [name, quarantine !== undefined]),
      [
        ["on", false],
        ["hostile", true],
      ],
    );
  });

  it("tells of a failure with all that was tried, and what was known before stays", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    await open.servers.discover("lamps");
    open.probe = failing("it is gone");
    await assert.rejects(open.servers.discover("lamps"), ({ code, details }: ZaguanError) => {
      const { params, data } = details;
      assert.deepEqual(params, { name: "lamps", address: "https://lamps.example/mcp", reason: "it is gone" });
      assert.deepEqual(data, { attempts: [{ attempt: 1, atMs: 0, transport: "WebSocket", outcome: "it is gone" }] });
      return code === "NOT_DISCOVERED";
    });
    const { status, lastError } = await open.servers.find("lamps");
    assert.deepEqual([status, lastError], ["error", "it is gone"]);
    assert.equal((await toolsOf("lamps")).length, 2);
    assert.deepEqual(
      (await open.servers.log("lamps")).map(({ ok, error }) => [ok, error]),
      [
        [false, "it is gone"],
        [true, undefined],
      ],
    );
    open.probe = async () => found("on");
    await open.servers.discover("lamps");
    assert.deepEqual((await open.servers.find("lamps")).status, "active");
  });

  it("is done once for all who ask meanwhile, and anew for those who ask later", async () => {
    const answer = Promise.withResolvers<ReturnType<typeof found>>();
    let asked = 0;
    open.probe = () => {
      asked++;
      return answer.promise;
    };
    await open.servers.create(serverInput("lamps"), PLAIN);
    const all = [1, 2, 3].map(() => open.servers.discover("lamps"));
    await open.clock.advance(0);
    answer.resolve(found("on"));
    assert.deepEqual(
      (await Promise.all(all)).map((tools) => tools.length),
      [1, 1, 1],
    );
    assert.equal(asked, 1);
    await open.servers.discover("lamps");
    assert.equal(asked, 2);
  });

  it("of a server that is removed meanwhile finds no such server", async () => {
    const answer = Promise.withResolvers<ReturnType<typeof found>>();
    open.probe = () => answer.promise;
    await open.servers.create(serverInput("lamps"), PLAIN);
    const discovering = open.servers.discover("lamps");
    await open.clock.advance(0);
    await open.servers.remove("lamps");
    answer.resolve(found("on"));
    await assert.rejects(discovering, { code: "NO_SUCH" });
  });

  it("is not for what is not there", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    await assert.rejects(open.servers.discover("doors"), { code: "NO_SUCH" });
  });
});

describe("what the hub learns by itself", () => {
  it("is kept, whether or not anybody asked", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    open.servers.listed("lamps", [makeTool("dim")], "registered");
    await open.clock.advance(0);
    assert.deepEqual(await toolsOf("lamps"), [["dim", false]]);
    assert.equal((await open.servers.find("lamps")).status, "active");
  });

  it("is told to whoever waits, and reported where nobody does, if the store fails", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    const { servers } = open.store.registry;
    Object.defineProperty(servers, "change", { value: () => Promise.reject(new Error("away")) });
    await assert.rejects(open.servers.keep("lamps", [makeTool("dim")], "registered"), /away/);
    open.servers.listed("lamps", [makeTool("dim")], "registered");
    await open.clock.advance(0);
    assert.deepEqual(open.reported.map(String), ["Error: away"]);
  });

  it("of a source that is not in the registry is no failure", async () => {
    open.servers.listed("stranger", [makeTool("x")], "configured");
    await open.clock.advance(0);
    assert.deepEqual(open.reported, []);
  });
});

describe("after a restart", () => {
  it("every registered server is under the hub again with its tools, and none is asked", async () => {
    await open.servers.create(serverInput("lamps", { credentials: "k", authType: "apikey" }), PLAIN);
    await open.servers.create(serverInput("doors"), PLAIN);
    open.probe = async () => ({
      ...found("on"),
      tools: [makeTool("on"), makeTool("bad", { inputSchema: { type: 7 } })],
    });
    await open.servers.discover("lamps");
    open.attached.clear();
    open.probe = () => assert.fail("it was asked");
    await open.servers.attachAll();
    assert.deepEqual(Object.fromEntries(open.offered), { lamps: ["on"], doors: [] });
    assert.deepEqual([...open.attached.keys()], ["lamps", "doors"]);
    assert.deepEqual(open.attached.get("lamps")?.headers, { "x-api-key": "k" });
  });

  it("what an earlier version kept openly is under seal", async () => {
    const baseUrl = "https://old.example/mcp?token=hUsh9x8y7z";
    const old = { name: "old", origin: "registered", baseUrl, authType: "none", allowPrivate: false } as const;
    await open.store.registry.servers.create(old);
    await open.servers.attachAll();
    assert.doesNotMatch(JSON.stringify(await open.store.registry.servers.list()), /hUsh/);
    assert.equal(open.attached.get("old")?.url, baseUrl);
  });

  it("what an earlier version kept openly beside what it had under seal is there, too, and nothing of both is lost", async () => {
    const args = ["a.js", "--token", "hUsh9x8y7z", "host=db password=hUsh0w1v2u"];
    const input = serverInput("child", { baseUrl: undefined, command: "node", args });
    const { id } = await open.servers.create(input, ADMIN);
    await open.store.registry.servers.change(id, { args: args.with(2, "[redacted]") });
    await open.servers.attachAll();
    assert.deepEqual(open.attached.get("child")?.args, args);
    assert.doesNotMatch(JSON.stringify(await open.store.registry.servers.list()), /hUsh/);
  });

  it("one whose secrets do not open is told of, and the others come up", async () => {
    await open.servers.create(serverInput("lamps", { credentials: "k", authType: "apikey" }), PLAIN);
    await open.servers.create(serverInput("doors"), PLAIN);
    const { again, attached } = withAnotherKey();
    await again.attachAll();
    assert.deepEqual(attached, ["doors"]);
    assert.equal((await again.find("lamps")).status, "error");
    assert.equal(open.reported.length, 1);
  });

  for (const fresh of [{ credentials: "new" }, { headers: { a: "b" } }, { env: {} }]) {
    it(`one whose secrets do not open comes up for whoever brings new ${Object.keys(fresh)}`, async () => {
      await open.servers.create(serverInput("lamps", { credentials: "k", authType: "apikey" }), PLAIN);
      const { again, attached } = withAnotherKey();
      await assert.rejects(again.change("lamps", { description: "of the hall" }, PLAIN), /cannot be opened/);
      assert.deepEqual(attached, []);
      await again.change("lamps", fresh, PLAIN);
      assert.deepEqual(attached, ["lamps"]);
    });
  }
});

/** The same store, opened by a hub that has another key for its secrets. */
function withAnotherKey() {
  const attached: string[] = [];
  const again = new ServerRegistry({
    tables: open.store.registry,
    secrets: openSecrets("another key"),
    clock: open.clock,
    random: () => 0,
    attachments: {
      attach: async (name) => void attached.push(name),
      detach: async () => {},
      has: () => false,
      restart: async () => {},
      learned: async () => {},
      announce: () => {},
    },
    prober: { probe: () => assert.fail("it was asked") },
    rules: () => open.rules,
    report: (cause) => open.reported.push(cause),
  });
  return { again, attached };
}

describe("restarting a server", () => {
  it("is for every server that there is", async () => {
    const { id } = await open.servers.create(serverInput("lamps"), PLAIN);
    await open.servers.mirror("doors", "configured", CONFIGURED);
    await open.servers.mirror("house", "built-in");
    await open.servers.restart(id);
    await open.servers.restart("DOORS");
    await open.servers.restart("house");
    assert.deepEqual(open.restarted, ["lamps", "doors", "house"]);
    await assert.rejects(open.servers.restart("nobody"), { code: "NO_SUCH" });
    await open.servers.unmirror("doors");
    await assert.rejects(open.servers.restart("doors"), { code: "NO_SUCH" });
    assert.equal(open.restarted.length, 3);
  });
});

describe("a device", () => {
  it("is removed while it is away, with its name, and not while it is there", async () => {
    await open.servers.mirror("device-box", "device");
    open.attached.set("device-box", CONFIGURED);
    await assert.rejects(open.servers.remove("device-box"), { code: "CONFIGURED" });
    const { id } = await open.servers.find("device-box");
    await open.servers.unmirror("device-box");
    await open.servers.remove(id);
    await open.servers.mirror("device-box", "device");
    assert.notEqual((await open.servers.find("device-box")).id, id);
  });

  it("is removed when it is away, too, where no node of a cluster was left to write that it went", async () => {
    await open.servers.mirror("device-box", "device");
    await open.servers.mirrorOnly(new Map(), true);
    await open.servers.remove("device-box");
    assert.deepEqual(await open.store.registry.servers.list({ origin: "device" }), []);
  });
});

describe("a server of the configuration file", () => {
  it("is in the registry without what may be secret in its address, and is changed elsewhere", async () => {
    await open.servers.mirror("doors", "configured", CONFIGURED);
    const { origin, baseUrl } = await open.servers.find("doors");
    assert.deepEqual([origin, baseUrl], ["configured", SHOWN]);
    await assert.rejects(open.servers.change("doors", { authType: "none" }, ADMIN), { code: "CONFIGURED" });
    await assert.rejects(open.servers.remove("doors"), { code: "CONFIGURED" });
    assert.equal(open.attached.size, 0);
  });

  it("is asked for its tools as the hub has it", async () => {
    await open.servers.mirror("doors", "configured", CONFIGURED);
    open.probe = async (server) => {
      assert.equal(server, undefined);
      return found("open");
    };
    assert.equal((await open.servers.discover("doors")).length, 1);
  });

  it("is gone when it is taken out of the file, and comes back with its tools' ids", async () => {
    await open.servers.mirror("doors", "configured", CONFIGURED);
    open.probe = async () => found("open");
    const [before] = await open.servers.discover("doors");
    await open.servers.unmirror("doors");
    await assert.rejects(open.servers.find("doors"), { code: "NO_SUCH" });
    await open.servers.mirror("doors", "configured", CONFIGURED);
    const [after] = await open.servers.discover("doors");
    assert.equal(after?.id, before?.id);
  });

  it("gives its name to one that is registered once it is out of the file, and nothing else", async () => {
    await open.servers.mirror("doors", "configured", CONFIGURED);
    open.probe = async () => found("open");
    await open.servers.discover("doors");
    const { id } = await open.servers.find("doors");
    await open.servers.unmirror("doors");
    const record = await open.servers.create(serverInput("doors"), PLAIN);
    assert.notEqual(record.id, id);
    assert.deepEqual([record.name, record.origin, await toolsOf("doors")], ["doors", "registered", []]);
    assert.equal(await open.store.registry.servers.get(id), undefined);
  });

  it("is another with another title there, and has what is listed from then on", async () => {
    await open.servers.mirror("doors", "configured", { ...CONFIGURED, title: "Front" });
    await open.servers.keep("doors", [makeTool("open")], "configured");
    await open.servers.mirror("doors", "configured", { ...CONFIGURED, title: "Back" });
    assert.deepEqual(await toolsOf("doors"), []);
    await open.servers.keep("doors", [makeTool("shut")], "configured");
    assert.deepEqual(await toolsOf("doors"), [["shut", false]]);
  });

  it("is mirrored again without a write if nothing changed", async () => {
    await open.servers.mirror("doors", "configured", CONFIGURED);
    const version = await open.store.registry.tools.version();
    await open.servers.mirror("doors", "configured", CONFIGURED);
    assert.equal(await open.store.registry.tools.version(), version);
  });

  it("says where it is from, also where it was another's before", async () => {
    const originOf = async (name: string) => (await open.servers.find(name)).origin;
    await open.servers.mirrorOnly(new Map([["doors", { origin: "built-in" }]]));
    assert.equal(await originOf("doors"), "built-in");
    const all = new Map<string, Mirrored>([
      ["doors", { origin: "configured", server: CONFIGURED }],
      ["house", { origin: "built-in" }],
      ["weather", { origin: "configured" }],
      ["device-box", { origin: "device" }],
    ]);
    await open.servers.mirrorOnly(all);
    for (const [name, { origin }] of all) assert.equal(await originOf(name), origin, name);
    assert.equal((await open.servers.find("doors")).baseUrl, SHOWN);
  });

  for (const isShared of [false, true]) {
    it(`is gone with what is not told of; a device ${isShared ? "of another node stays" : "is, too"}`, async () => {
      const box: [string, Mirrored] = ["device-box", { origin: "device" }];
      await open.servers.mirrorOnly(new Map<string, Mirrored>([["doors", { origin: "configured" }], box]));
      await open.servers.mirrorOnly(new Map(), isShared);
      await assert.rejects(open.servers.find("doors"), { code: "NO_SUCH" });
      const found = await open.servers.find("device-box").then(
        () => true,
        () => false,
      );
      assert.equal(found, isShared);
    });
  }

  it("stays what it is when a device calls itself so; one that is gone does not", async () => {
    await open.servers.mirror("device-x", "configured", CONFIGURED);
    await open.servers.mirror("device-x", "device");
    const { origin, baseUrl } = await open.servers.find("device-x");
    assert.deepEqual([origin, baseUrl], ["configured", SHOWN]);
    await open.servers.unmirror("device-x");
    await open.servers.mirror("device-x", "device");
    const after = await open.servers.find("device-x");
    assert.deepEqual([after.origin, after.baseUrl], ["device", undefined]);
  });

  it("does not take a registered server away by being taken out of the file", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    await open.servers.unmirror("lamps");
    assert.equal((await open.servers.find("lamps")).status, "active");
  });
});
