import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { until } from "../../test/support/processes.ts";
import { callerOf, type Heard, hearing, never, request, textOf } from "../../test/support/source-side.ts";
import type { StubMessage } from "../../test/support/stub-2026.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { EraMemory } from "./mcp-client/era-memory.ts";
import type { Connection } from "./source.ts";
import { mayInstall, startSeconds, stdio } from "./stdio.ts";

const SERVER = fileURLToPath(new URL("../../test/support/era-server.ts", import.meta.url));

let folder: string;
let clock: FakeClock;
let heard: Heard;
let memory: EraMemory;
const open: Connection[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-era-"));
  clock = new FakeClock();
  heard = hearing("s", clock);
  memory = new EraMemory();
});

afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
  assert.equal(clock.pending, 0, "a timer was left behind");
  rmSync(folder, { recursive: true, force: true });
});

describe("the era of a child is found in the child itself", () => {
  it("the newer one, by its greeting, with which it also says who it is", async () => {
    const connection = await connect("modern");
    assert.deepEqual(connection.face?.serverInfo, { name: "stub", version: "1" });
    assert.ok(connection.face?.discovery);
    assert.equal(textOf(await connection.request(request("echo"))).client, "zaguan");
    assert.deepEqual(methods().slice(0, 1), ["server/discover"]);
    assert.ok(!methods().includes("initialize"));
  });

  it("the older one, by any other answer, in the same child", async () => {
    const connection = await connect("handshake");
    assert.ok(connection.face?.greeting);
    await connection.request(request("echo"));
    assert.deepEqual(methods(), [...OLD_GREETING, "tools/call"]);
    assert.equal(pids().length, 1);
  });

  it("the older one, by an answer that is none", async () => {
    const connection = await connect("nonsense");
    assert.ok(connection.face?.greeting);
    assert.equal(pids().length, 1);
  });

  it("of a child that speaks both, the newer", async () => {
    const connection = await connect("dual");
    assert.ok(connection.face?.discovery);
    await connection.listTools(never);
    assert.ok(!methods().includes("initialize"));
  });

  it("the older one, if it says nothing for three seconds", async () => {
    const connecting = connect("mute");
    await until("it was asked", () => methods().length === 1);
    await clock.advance(2_999);
    assert.deepEqual(methods(), ["server/discover"]);
    await clock.advance(1);
    const connection = await connecting;
    assert.ok(connection.face?.greeting);
    await connection.request(request("echo"));
    assert.equal(pids().length, 1);
  });

  it("the newer one all the same, if it did not hear the question and knows no handshake", async () => {
    const connecting = connect("deaf");
    await until("it was asked", () => methods().length === 1);
    await clock.advance(2_000);
    assert.ok((await connecting).face?.discovery);
    assert.deepEqual(methods().slice(0, 3), ["server/discover", "initialize", "server/discover"]);
  });

  it("the older one, if the answer to the question comes too late; but that is not remembered, and is no noise", async () => {
    const connecting = connect("late");
    await until("it was asked", () => methods().length === 1);
    await clock.advance(2_000);
    const connection = await connecting;
    assert.ok(connection.face?.greeting);
    await connection.request(request("echo"));
    assert.deepEqual(heard.noise, []);
    assert.equal(memory.isHandshake(clock), false);
  });

  it("neither, if it speaks other revisions alone", async () => {
    const error = await failure(connect("future"));
    assert.equal(error.details.params?.["reason"], "it speaks no protocol version that we know");
  });
});

describe("a child that ends of the question", () => {
  it("is started once more and greeted in the older way, and not asked again", async () => {
    const first = await connect("exits");
    await first.request(request("echo"));
    assert.deepEqual(methods(), ["server/discover", "initialize", "notifications/initialized", "tools/call"]);
    assert.equal(pids().length, 2);
    await first.close();
    await connect("exits");
    assert.equal(pids().length, 3);
  });

  it("is started once more also if it answered before it ended", async () => {
    const connection = await connect("offended");
    await connection.request(request("echo"));
    assert.equal(pids().length, 2);
    assert.ok(connection.face?.greeting);
  });

  it("is not asked if its revision is configured", async () => {
    await connect("exits", { revision: "2025-06-18" });
    assert.deepEqual([pids().length, methods()[0]], [1, "initialize"]);
    assert.equal(messageOf("initialize")?.params["protocolVersion"], "2025-06-18");
  });

  it("and of the greeting too has failed; the next attempt starts it once", async () => {
    const error = await failure(connect("crashes"));
    assert.match(String(error.details.params?.["reason"]), /exited with code 3/);
    assert.equal(pids().length, 2);
    await failure(connect("crashes"));
    assert.equal(pids().length, 3);
  });
});

describe("the older era", () => {
  it("is remembered for an hour", async () => {
    const greetings = [];
    for (const hours of [0, 0.99, 1]) {
      await clock.advance(hours * 3_600_000);
      const before = methods().length;
      await (await connect("handshake")).close();
      greetings.push(methods()[before]);
    }
    assert.deepEqual(greetings, ["server/discover", "initialize", "server/discover"]);
  });

  it("is no longer believed of a server that refuses it", async () => {
    memory.rememberHandshake(clock);
    const connection = await connect("modern");
    assert.ok(connection.face?.discovery);
    assert.deepEqual(methods().slice(0, 2), ["initialize", "server/discover"]);
    assert.equal(memory.isHandshake(clock), false);
  });
});

describe("the newer era on a pipe", () => {
  it("is told by a word that somebody left", async () => {
    const connection = await connect("modern");
    const caller = new AbortController();
    const waiting = failure(connection.request(request("wait", { signal: caller.signal })));
    await until("it has the call", () => methods().includes("tools/call"));
    caller.abort(new ZaguanError("CANCELLED"));
    assert.equal((await waiting).code, "CANCELLED");
    await until("it has the word", () => methods().includes("notifications/cancelled"));
    const [call, word] = ["tools/call", "notifications/cancelled"].map((method) => messageOf(method));
    assert.equal(word?.params.requestId, call?.id);
  });

  it("has its questions asked of the client that waits", async () => {
    const connection = await connect("modern");
    const asked: string[] = [];
    const caller = callerOf((method) => {
      asked.push(method);
      return '{"action":"decline"}';
    });
    const args = Payload.ofText('{"who":"Ada"}');
    const told = textOf(await connection.request(request("ask", { args, caller })));
    assert.deepEqual(asked, ["elicitation/create", "roots/list"]);
    assert.deepEqual(told.inputResponses.name, { action: "decline" });
  });

  it("has no headers, and so no rules for them", async () => {
    const connection = await connect("modern");
    const names = (await connection.listTools(never)).map(({ name }) => name);
    assert.ok(names.includes("badly marked"));
  });
});

const OLD_GREETING = ["server/discover", "initialize", "notifications/initialized"];

async function connect(way: string, more: { readonly revision?: string } = {}): Promise<Connection> {
  const child = { command: process.execPath, args: [SERVER, way, file()], env: {}, lineBytes: 100_000 };
  const options = { ...child, memory, ...more };
  const connection = await stdio.connect(options, heard.context, never);
  open.push(connection);
  return connection;
}

function file(): string {
  return join(folder, "read.txt");
}

function lines(): string[] {
  return existsSync(file()) ? readFileSync(file(), "utf8").split("\n").slice(0, -1) : [];
}

/** The methods of all that was read. */
function methods(): string[] {
  return lines().map((line) => JSON.parse(line.slice(line.indexOf(" "))).method);
}

function messageOf(method: string): StubMessage | undefined {
  return lines()
    .map((line) => JSON.parse(line.slice(line.indexOf(" "))) as StubMessage)
    .find((message) => message.method === method);
}

function pids(): string[] {
  return [...new Set(lines().map((line) => line.split(" ", 1)[0] ?? ""))];
}

async function failure(promise: Promise<unknown>): Promise<ZaguanError> {
  const error = await promise.then(
    () => assert.fail("it should have failed"),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof ZaguanError, String(error));
  return error;
}

for (const command of ["npx", "/usr/local/bin/npx", "C:\\nodejs\\npx.cmd", "UVX.exe", "docker", "deno"]) {
  it(`${command} may install something, and has ten minutes`, () => {
    assert.deepEqual([mayInstall(command), startSeconds(command)], [true, 600]);
  });
}

for (const command of ["node", "python3", "./npx-like", "/opt/uvx/server", "", undefined]) {
  it(`${command} runs what is there, and has a minute`, () => {
    assert.deepEqual([mayInstall(command), startSeconds(command)], [false, 60]);
  });
}
