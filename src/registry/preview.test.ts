import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  ADMIN,
  found,
  LOCAL,
  type OpenRegistry,
  openRegistry,
  PLAIN,
  serverInput,
} from "../../test/support/registry-ports.ts";
import type { ServerConfig } from "../config/types.ts";
import type { NewServer } from "../contract/server.ts";
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import { LightAbort } from "../light-abort.ts";
import type { Probed } from "./ports.ts";
import { Previews } from "./preview.ts";

let open: OpenRegistry;
let previews: Previews;

beforeEach(async () => {
  open = await openRegistry();
  previews = new Previews({
    clock: open.clock,
    random: () => 0.5,
    rules: () => open.rules,
    prober: { probe: (_name, server, signal, onStep) => open.probe(server, signal, onStep) },
    isTaken: (name) => open.servers.isTaken(name),
  });
});

const preview = (input: NewServer, who: Principal = PLAIN, left = new LightAbort()) =>
  previews.preview(input, who, left);
const namesIn = (told: Probed | undefined) => told?.tools.map(({ name }) => name);

describe("a preview of a server", () => {
  it("shows what it offers, and keeps nothing", async () => {
    open.probe = async () => ({ ...found("on", "off"), revision: "2025-06-18", serverInfo: { name: "lamps" } });
    const told = await preview(serverInput("lamps"));
    assert.deepEqual([namesIn(told.found), told.found?.revision, told.error], [["on", "off"], "2025-06-18", undefined]);
    assert.equal(told.nameTaken, false);
    assert.deepEqual(await open.store.registry.servers.list(), []);
    assert.deepEqual(await open.store.registry.tools.list(), []);
    assert.deepEqual([open.attached.size, open.learned.length, open.announced], [0, 0, 0]);
  });

  it("goes where the registered server would go, with its secrets", async () => {
    const inputs = [
      serverInput("lamps", { credentials: "k", authType: "apikey", headers: { a: "b" } }),
      serverInput("own", { baseUrl: "http://localhost:1/mcp" }),
      serverInput("socket", { baseUrl: "wss://lamps.example/ws", credentials: { token: "t" }, authType: "oauth" }),
      serverInput("program", { baseUrl: undefined, command: "node", args: ["a.js"], env: { B: "c" } }),
    ];
    for (const input of inputs) {
      let asked: ServerConfig | undefined;
      open.probe = async (server) => {
        asked = server;
        return found();
      };
      await preview(input, LOCAL);
      await open.servers.create(input, LOCAL);
      assert.deepEqual(asked, open.attached.get(input.name), input.name);
    }
  });

  it("tells that the name is taken, in whatever case, and looks all the same", async () => {
    await open.servers.create(serverInput("lamps"), PLAIN);
    const told = await preview(serverInput("LAMPS", { baseUrl: "https://other.example" }));
    assert.deepEqual([told.nameTaken, namesIn(told.found)], [true, ["on", "off"]]);
    await open.servers.mirror("doors", "configured");
    assert.equal((await preview(serverInput("doors"))).nameTaken, true);
    await open.servers.unmirror("doors");
    assert.equal((await preview(serverInput("doors"))).nameTaken, false);
  });

  it("tells why it could not be reached, and what was tried", async () => {
    open.probe = async (_server, _signal, onStep) => {
      onStep("WebSocket", "HTTP 500");
      throw new ZaguanError("SOURCE_UNAVAILABLE", { params: { source: "lamps", reason: "HTTP 500" } });
    };
    const { error, steps, found: none } = await preview(serverInput("lamps"));
    assert.deepEqual([error?.code, none], ["NOT_DISCOVERED", undefined]);
    assert.deepEqual(error?.details.params, {
      name: "lamps",
      address: "https://lamps.example/mcp",
      reason: "HTTP 500",
    });
    assert.deepEqual(steps, [{ attempt: 1, atMs: 0, transport: "WebSocket", outcome: "HTTP 500" }]);
  });

  it("says of a name that leads to a private address that it does", async () => {
    const refusal = new ZaguanError("FORBIDDEN_ADDRESS", { params: { address: "10.0.0.1" } });
    open.probe = () => Promise.reject(refusal);
    assert.equal((await preview(serverInput("lamps"))).error, refusal);
  });

  it("is given up after the time of a discovery", async () => {
    open.probe = () => new Promise(() => {});
    const told = preview(serverInput("lamps"));
    await open.clock.advance(open.rules.discoveryMs);
    const { error, ms } = await told;
    assert.deepEqual([error?.code, ms], ["NOT_DISCOVERED", open.rules.discoveryMs]);
    assert.match(String(error?.details.params?.["reason"]), /within 30 s/);
  });

  it("ends when its caller leaves", async () => {
    let signal: { readonly aborted: boolean } | undefined;
    open.probe = (_server, given) => {
      signal = given;
      return new Promise(() => {});
    };
    const left = new LightAbort();
    const told = preview(serverInput("lamps"), PLAIN, left);
    await open.clock.advance(1);
    left.abort();
    await assert.rejects(told, { code: "CANCELLED" });
    assert.equal(signal?.aborted, true);
    assert.equal(open.clock.pending, 0);
  });

  it("is refused where registering would be, before anything is asked", async () => {
    open.probe = () => assert.fail("it was asked");
    const refusals = [
      [serverInput("a", { baseUrl: "http://10.0.0.1" }), PLAIN, "FORBIDDEN_ADDRESS"],
      [serverInput("a", { baseUrl: "http://localhost:1" }), ADMIN, "FORBIDDEN_ADDRESS"],
      [serverInput("a", { baseUrl: undefined, command: "sh" }), ADMIN, "COMMAND_NOT_ALLOWED"],
      [
        serverInput("a", { baseUrl: undefined, command: "node", env: { NODE_OPTIONS: "" } }),
        ADMIN,
        "COMMAND_NOT_ALLOWED",
      ],
      [serverInput("a", { baseUrl: undefined }), ADMIN, "INVALID_PARAMS"],
      [serverInput("a", { command: "node" }), ADMIN, "INVALID_PARAMS"],
    ] as const;
    for (const [input, who, code] of refusals) await assert.rejects(preview(input, who), { code });
  });

  it("is one of a few at a time; with each that ends there is room for another", async () => {
    const going = Promise.withResolvers<Probed>();
    open.probe = () => going.promise;
    const many = Array.from({ length: 16 }, (_, n) => preview(serverInput(`n${n}`)));
    await assert.rejects(preview(serverInput("more")), { code: "NO_CAPACITY" });
    going.resolve(found());
    await Promise.all(many);
    assert.equal((await preview(serverInput("more"))).error, undefined);
  });

  it("tells what nobody expected as everywhere, and leaves its place", async () => {
    open.probe = () => Promise.reject(new TypeError("x is undefined"));
    for (let n = 0; n < 20; n++) await assert.rejects(preview(serverInput("lamps")), { code: "INTERNAL" });
  });
});
