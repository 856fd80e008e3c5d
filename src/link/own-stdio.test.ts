import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { until } from "../../test/support/processes.ts";

interface Door {
  readonly child: ChildProcessWithoutNullStreams;
  /** All that it wrote so far. */
  readonly said: { out: string; log: string };
}

describe("our own stdin and stdout", () => {
  it("carry messages, and nothing that anybody prints beside", async () => {
    const door = start();
    door.child.stdin.write("one\n\nt");
    door.child.stdin.write("wo 客\r\n");
    await until("two answers", () => door.said.out === "one\ntwo 客\n");
    door.child.stdin.end();
    assert.equal(await codeOf(door), 0);
    assert.equal(door.said.out, "one\ntwo 客\n");
    for (const text of ["console.log goes astray", "so does process.stdout", "answering"]) {
      assert.ok(door.said.log.includes(text), text);
    }
  });

  it("take a last line without newline, then tell of the end, and can still answer", async () => {
    const door = start("late");
    door.child.stdin.end("last");
    assert.equal(await codeOf(door), 0);
    assert.equal(door.said.out, "last\nafter the end\n");
    assert.match(door.said.log, /ended\nclosed: stopped\n$/);
  });

  it("report a line that is too long and go on", async () => {
    const door = start();
    door.child.stdin.end(`${"z".repeat(3_000_000)}\nnext\n`);
    assert.equal(await codeOf(door), 0);
    assert.equal(door.said.out, "next\n");
    assert.match(door.said.log, /noise 200\n/);
  });

  it("make the sender wait while the client does not read, and lose nothing", async () => {
    const door = start();
    door.child.stdout.pause();
    door.child.stdin.write("flood\n");
    await until("the sender has waited", () => door.said.log.includes("waited: true"));
    door.child.stdout.resume();
    await until("all has come", () => door.said.out.length === 8 * 500_001);
    door.child.stdin.end();
    assert.equal(await codeOf(door), 0);
  });

  it("do not read a client that does not read, and answer all it asked once it does", async () => {
    const door = start();
    const asked = 4000;
    const taken = (): number => door.said.log.split("answering").length - 1;
    door.child.stdout.pause();
    door.child.stdin.write(`large ${"q".repeat(1000)}\n`.repeat(asked));
    await until("it reads no more", () => door.said.log.includes("still paused: true"));
    assert.ok(taken() > 100 && taken() < asked, `taken from a client that reads nothing: ${taken()}`);
    assert.ok(door.child.stdin.writableLength > 0, "what it was not asked yet waits with the client");
    door.child.stdout.resume();
    door.child.stdin.end();
    assert.equal(await codeOf(door), 0);
    assert.deepEqual([taken(), door.said.out.length], [asked, asked * 10_001]);
  });

  it("still send, at the end, what waits for a client that reads", async () => {
    const door = start();
    door.child.stdin.end("burst\n");
    assert.equal(await codeOf(door), 0);
    assert.equal(door.said.out.length, 8 * 500_001);
  });

  it("end when a client that did not read has gone", async () => {
    const door = start();
    door.child.stdout.pause();
    const exited = once(door.child, "exit");
    door.child.stdin.end("flood\n");
    await until("the sender has waited", () => door.said.log.includes("waited: true"));
    door.child.stdout.destroy();
    assert.deepEqual(await exited, [0, null]);
  });

  it("end without a crash when the client closes our output", async () => {
    const door = start();
    await until("it is up", () => door.said.log.includes("astray"));
    door.child.stdout.destroy();
    const again = setInterval(() => door.child.stdin.write("hello\n"), 20);
    door.child.stdin.on("error", () => {});
    assert.equal(await codeOf(door), 0);
    clearInterval(again);
    assert.match(door.said.log, /closed: the client closed our output\n$/);
  });

  it("end without a crash when the client is gone altogether, its log included", async () => {
    const door = start();
    await until("it is up", () => door.said.log.includes("astray"));
    door.child.stdout.destroy();
    door.child.stderr.destroy();
    door.child.stdin.write("hello\n");
    door.child.stdin.end();
    assert.equal(await codeOf(door), 0);
  });
});

function start(...args: string[]): Door {
  const path = new URL("../../test/support/children/stdio-door.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [path, ...args], { stdio: "pipe" });
  const said = { out: "", log: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.log += text;
  });
  return { child, said };
}

async function codeOf({ child }: Door): Promise<number | null> {
  if (child.exitCode === null) await once(child, "close");
  return child.exitCode;
}
