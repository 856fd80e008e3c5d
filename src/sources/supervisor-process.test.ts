import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRunning, until } from "../../test/support/processes.ts";
import type { HubEvent } from "../core/events.ts";
import { ZaguanError } from "../errors.ts";
import { openChildLink } from "../link/child-process.ts";
import type { Link } from "../link/link.ts";
import type { Connection, Source, SourceKind } from "./source.ts";
import { supervise } from "./supervisor.ts";

describe("a supervised child process", () => {
  it("that crashes each time is started five times and then left alone, with its last words told", async () => {
    const pids: number[] = [];
    const events: HubEvent[] = [];
    const source = build("echo 'no token' >&2; exit 3", pids, events);
    await source.listTools(AbortSignal.timeout(30_000)).catch(() => {});
    await until("it is broken", () => source.status().state === "broken");
    assert.equal(pids.length, 5);
    assert.equal(source.status().lastError, "exited with code 3: no token");
    assert.deepEqual(source.status().log, Array(5).fill("no token"));
    await source.close();
    assert.ok(!pids.some(isRunning));
  });

  it("that is killed from outside comes back as one new process, and none is left after closing", async () => {
    const pids: number[] = [];
    const source = build("sleep 1000 & cat", pids, []);
    await source.listTools(AbortSignal.timeout(30_000));
    process.kill(pids[0] as number, "SIGKILL");
    await until("it is back", () => pids.length === 2 && source.status().state === "ready");
    assert.deepEqual(pids.map(isRunning), [false, true]);
    await source.close();
    assert.ok(!pids.some(isRunning));
  });

  it("that never becomes ready is ended each time", async () => {
    const pids: number[] = [];
    const source = build("sleep 1000", pids, [], { readyMs: 30, handshake: true });
    const asked = source.listTools(AbortSignal.timeout(30_000));
    await assert.rejects(asked, (error) => {
      assert.ok(error instanceof ZaguanError);
      assert.equal(error.details.params?.["reason"], "keeps failing: did not become ready within 0.03 s");
      return true;
    });
    assert.equal(pids.length, 5);
    assert.ok(!pids.some(isRunning));
    await source.close();
  });
});

interface Setup {
  readonly readyMs: number;
  /** Waits for a first line before it counts as ready. */
  readonly handshake: boolean;
}

function build(line: string, pids: number[], events: HubEvent[], setup: Partial<Setup> = {}): Source {
  const clock = { now: () => performance.now(), after: timer };
  const ports = { clock, random: () => 0.01, emit: (event: HubEvent) => events.push(event) };
  const policy = { readyMs: setup.readyMs ?? 10_000, onToolsChanged: () => {} };
  return supervise(childKind(pids, setup.handshake ?? false), "child", line, policy, ports);
}

function childKind(pids: number[], handshake: boolean): SourceKind<string> {
  return {
    kind: "child",
    look: { title: { en: "", es: "", fr: "", zh: "" }, icon: "" },
    concurrency: 1,
    trusted: false,
    connect: async (line, context, signal) => {
      const spoke = Promise.withResolvers<void>();
      const options = { command: "sh", args: ["-c", line], env: {}, lineBytes: 1000, name: context.name, eofMs: 20 };
      const link = await openChildLink(options, { onMessage: () => spoke.resolve(), onLog: context.onLog });
      pids.push(link.pid);
      signal.addEventListener("abort", () => spoke.reject(signal.reason));
      try {
        if (handshake) await spoke.promise;
      } catch (error) {
        await link.close();
        throw error;
      }
      return connectionOver(link);
    },
  };
}

function connectionOver(link: Link): Connection {
  return {
    listTools: async () => [],
    request: () => Promise.reject(new ZaguanError("INTERNAL")),
    closed: link.closed,
    close: () => link.close(),
  };
}

function timer(ms: number, run: () => void): () => void {
  const started = setTimeout(run, ms);
  return () => clearTimeout(started);
}
