/**
 * A hub whose store cannot be written, for real: its disk is full, or its files may not grow. `/health` says so, whoever
 * writes is told why, whoever reads is served, and everything is well again as soon as there is room.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { untilListed } from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

interface Failure {
  readonly what: string;
  /** Why it cannot be tried here. */
  readonly skip: string | false;
  /** In the words of `/health`. */
  readonly error: string;
  readonly reasons: Readonly<Record<"en" | "es" | "fr" | "zh", string>>;
  prepare?(folder: string): void;
  begin(hub: SpawnedZaguan): void;
  end(hub: SpawnedZaguan): void;
  cleanUp?(folder: string): void;
}

const FULL = {
  en: "Nothing can be stored at the moment: the disk is full",
  es: "Ahora no se puede guardar nada: el disco está lleno",
  fr: "Rien ne peut être enregistré pour l'instant\u00a0: le disque est plein",
  zh: "暂时无法保存数据：磁盘已满",
};
const NO_WRITING = {
  en: "Nothing can be stored at the moment: the disk cannot be read or written",
  es: "Ahora no se puede guardar nada: no se puede leer o escribir en el disco",
  fr: "Rien ne peut être enregistré pour l'instant\u00a0: le disque ne peut être lu ou écrit",
  zh: "暂时无法保存数据：磁盘无法读写",
};

const FAILURES: readonly Failure[] = [
  {
    what: "whose disk is full",
    skip: mountable(),
    error: "the disk is full",
    reasons: FULL,
    prepare: (folder) => assert.ok(ran("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder)),
    begin: (hub) => fill(join(hub.folder, "filler")),
    end: (hub) => rmSync(join(hub.folder, "filler")),
    cleanUp: (folder) => assert.ok(ran("umount", folder)),
  },
  {
    what: "whose files may not grow",
    skip: ran("prlimit", "--version") ? false : "there is no prlimit here",
    error: "the disk cannot be read or written",
    reasons: NO_WRITING,
    begin: (hub) => assert.ok(ran("prlimit", "--pid", `${hub.pid}`, "--fsize=1:")),
    end: (hub) => assert.ok(ran("prlimit", "--pid", `${hub.pid}`, "--fsize=unlimited:")),
  },
];

for (const failure of FAILURES) {
  describe(`a hub ${failure.what}`, { skip: failure.skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-store-failure-"));
    let hub: SpawnedZaguan;
    let client: RegistryClient;
    before(async () => {
      failure.prepare?.(folder);
      hub = await spawnZaguan({ folder, config: { devices: { timers: true } } });
      client = new RegistryClient(hub.url);
      await untilListed(client, "timer.start_countdown", "set_light_state");
      assert.equal((await client.get("/health")).body.status, "healthy");
      failure.begin(hub);
    });
    after(async () => {
      await hub?.stop();
      failure.cleanUp?.(folder);
      rmSync(folder, { recursive: true, force: true });
    });

    it("says so in /health before anybody writes, and goes on answering with 200", async () => {
      const { status, body } = await untilHealth("degraded");
      assert.equal(status, 200);
      assert.deepEqual(body.dependencies.store, { status: "error", error: failure.error });
      assert.equal((await client.get("/mcp/status")).body.bridge.status, "degraded");
      assert.match((await client.get("/metrics")).text, /^zaguan_store_writable 0$/m);
    });

    for (const [language, reason] of Object.entries(failure.reasons)) {
      it(`tells whoever writes why it failed: ${language}`, async () => {
        const writer = new RegistryClient(hub.url, { "accept-language": language });
        const key = await writer.post("/keys", { name: `key-${language}` });
        assert.deepEqual([key.status, key.body.code, key.body.detail], [503, "STORE_UNAVAILABLE", reason]);
        const lamp = await writer.call("/mcp", "set_light_state", { name: "salon", on: true });
        const { code, message, data } = lamp.body.error;
        assert.deepEqual([code, message, data.code], [-32004, reason, "STORE_UNAVAILABLE"]);
        const { success, message: said } = await startTimer(writer);
        assert.deepEqual([success, said.endsWith(reason)], [false, true], said);
      });
    }

    it("tells it at every door that writes", async () => {
      for (const [path, body] of [
        ["/agents", { name: "ana" }],
        ["/mcp/servers", { name: "letras", baseUrl: "http://127.0.0.1:9/mcp", authType: "none" }],
        [
          "/mcp/initialize",
          {
            jsonrpc: "2.0",
            id: 1,
            method: "initialize",
            params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "n8n", version: "1" } },
          },
        ],
      ] as const) {
        const { status, text } = await client.post(path, body);
        assert.equal(status, 503, `${path}: ${text}`);
        assert.ok(text.includes("STORE_UNAVAILABLE") && text.includes(failure.reasons.en), `${path}: ${text}`);
      }
    });

    it("goes on answering whoever reads", async () => {
      assert.deepEqual((await client.get("/keys")).body, []);
      assert.match(await client.textOf("/mcp", "get_all_states", {}), /salon/);
    });

    it("says once in its log what is wrong, with the reason", async () => {
      const logged = hub.stdout() + hub.stderr();
      const told = logged.split("\n").filter((line) => line.includes("the store cannot be written"));
      assert.equal(told.length, 1, logged);
      assert.ok(told[0]?.includes(failure.error));
    });

    it("is healthy again, and has kept nothing that it refused, as soon as there is room", async () => {
      failure.end(hub);
      const { body } = await untilHealth("healthy");
      assert.deepEqual(body.dependencies.store, { status: "ok" });
      assert.match((await client.get("/metrics")).text, /^zaguan_store_writable 1$/m);
      assert.equal((await client.post("/keys", { name: "after" })).status, 201);
      const names = (await client.get("/keys")).body.map(({ name }: Message) => name);
      assert.deepEqual(names, ["after"]);
      assert.equal((await startTimer(client)).success, true);
    });

    function untilHealth(status: string): Promise<Answered> {
      return askUntil(
        `it is ${status}`,
        () => client.get("/health"),
        ({ body }) => body.status === status,
      );
    }
  });
}

describe("a hub that cannot tell the commands where it is", () => {
  it("serves all the same, and says so in its log", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-run-file-"));
    mkdirSync(join(folder, "data", "hub.json"), { recursive: true });
    const hub = await spawnZaguan({ folder });
    try {
      const client = new RegistryClient(hub.url);
      assert.match(await client.textOf("/mcp", "get_all_states", {}), /salon/);
      const line = /"reason":"EISDIR","msg":"hub\.json cannot be written/;
      await until("the log says so", () => line.test(hub.stdout() + hub.stderr()));
    } finally {
      await hub.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function startTimer(client: RegistryClient): Promise<Message> {
  const command = JSON.stringify({ name: "get_presence", arguments: {} });
  return JSON.parse(await client.textOf("/mcp", "timer.start_countdown", { command, delay: 3_600 }));
}

/** To the last byte: what is written next finds no room. */
function fill(file: string): void {
  for (const size of [1_048_576, 4_096, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch (cause) {
      assert.equal((cause as NodeJS.ErrnoException).code, "ENOSPC");
    }
  }
}

function mountable(): string | false {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-mount-"));
  const isMounted = ran("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder);
  if (isMounted) ran("umount", folder);
  rmSync(folder, { recursive: true });
  return isMounted ? false : "a small disk can be mounted by root alone";
}

function ran(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}
