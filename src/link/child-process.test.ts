import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { inheritableFiles, isRunning, openFiles, ownChildren, until } from "../../test/support/processes.ts";
import { type ErrorCode, ZaguanError } from "../errors.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import { type ChildLink, type ChildLinkOptions, openChildLink } from "./child-process.ts";
import { sayEnding } from "./ending.ts";
import { undertakerPid } from "./undertaker.ts";

const linuxOnly = { skip: process.platform !== "linux" };
const open: Opened[] = [];
/** What whoever started this test left open for all its descendants; not ours to close. */
const inheritedBefore = inheritableFiles().filter((file) => Number(file) > 3);

interface Opened {
  readonly link: ChildLink;
  readonly messages: string[];
  readonly logs: string[];
  readonly noise: string[];
  readonly tooLarge: CutMessage[];
}

describe("a link to a child process", () => {
  after(() => Promise.all(open.map(({ link }) => link.close())));

  it("carries one message per line both ways, in any script, and skips blank lines", async () => {
    const child = await opened(script("echo"));
    await child.link.send('{"text":"salón 客厅"}');
    await child.link.send("");
    await child.link.send("two");
    await until("two answers", () => child.messages.length === 2);
    assert.deepEqual(child.messages, ['{"text":"salón 客厅"}', "two"]);
    await child.link.close();
  });

  it("hands the child a short list of our variables, its own, a marker, and nothing else", async () => {
    const handedDown = [
      "HOME",
      "LOGNAME",
      "PATH",
      "SHELL",
      "TERM",
      "USER",
      "LANG",
      "LC_ALL",
      "TMPDIR",
      "TZ",
      "NODE_EXTRA_CA_CERTS",
      "SSL_CERT_FILE",
      "SSL_CERT_DIR",
      "REQUESTS_CA_BUNDLE",
      "HTTP_PROXY",
      "HTTPS_PROXY",
      "NO_PROXY",
      "http_proxy",
      "https_proxy",
      "no_proxy",
      "npm_config_cache",
      "npm_config_userconfig",
      "npm_config_registry",
      "UV_CACHE_DIR",
      "PIP_CACHE_DIR",
      "XDG_CACHE_HOME",
      "XDG_CONFIG_HOME",
      "XDG_DATA_HOME",
      "XDG_RUNTIME_DIR",
    ];
    const added = [...handedDown, "ZAGUAN_TEST_SECRET", "NODE_OPTIONS"].filter((name) => !process.env[name]);
    for (const name of added) process.env[name] = name === "NODE_OPTIONS" ? "" : "/nowhere";
    const child = await opened({ ...script("echo"), env: { OWN: "1", ZAGUAN_CHILD: "forged" } });
    await child.link.send("env");
    await until("an answer", () => child.messages.length === 1);
    await child.link.close();
    const {
      ZAGUAN_CHILD: marker,
      ZAGUAN_VIA: via,
      ...seen
    } = JSON.parse(child.messages[0] ?? "") as Record<string, string>;
    const ours = Object.fromEntries(handedDown.map((name) => [name, process.env[name]]));
    for (const name of added) delete process.env[name];
    assert.deepEqual(seen, { ...ours, OWN: "1" });
    assert.match(marker ?? "", /^[0-9a-f]{16}\.\d+$/);
    assert.match(via ?? "", /^\d+ \S/);
  });

  it("hands down no open files beyond the three pipes", linuxOnly, async () => {
    const child = await opened(sh("ls /proc/self/fd; cat"));
    await until("the list", () => child.messages.length >= 4);
    await child.link.close();
    const beyond = child.messages.filter((file) => !inheritedBefore.includes(file));
    // The fourth is the folder that ls itself is reading.
    assert.deepEqual(beyond, ["0", "1", "2", "3"]);
  });

  it("runs in the folder it is told", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "child-")));
    const child = await opened({ ...sh("pwd -P; cat"), cwd: folder });
    await until("an answer", () => child.messages.length === 1);
    assert.equal(child.messages[0], folder);
    await child.link.close();
    rmSync(folder, { recursive: true });
  });

  it("gives the child's own log on, a long line cut", async () => {
    const child = await opened(sh("echo one >&2; printf '%09000d\\n' 7 >&2; echo three >&2; cat"));
    await until("three lines", () => child.logs.length === 3);
    assert.deepEqual([child.logs[0], child.logs[1]?.length, child.logs[2]], ["one", 8192, "three"]);
    await child.link.close();
  });

  it("takes messages larger than the pipe without loss, and makes the sender wait while the pipe is full", async () => {
    const child = await opened(sh("sleep 0.3; wc -c"));
    const block = "x".repeat(499_999);
    let accepted = 0;
    const sends = Array.from({ length: 10 }, () => child.link.send(block).then(() => accepted++));
    await new Promise(setImmediate);
    assert.ok(accepted >= 3 && accepted < 10, `accepted at once: ${accepted}`);
    await Promise.all(sends);
    await child.link.close();
    assert.deepEqual(child.messages.map(Number), [5_000_000]);
  });

  it("refuses what still waited when the child went: it never left", async () => {
    const child = await opened(sh("read -r line; sleep 0.2; exit 4"));
    const sends = Array.from({ length: 10 }, () => child.link.send("x".repeat(500_000)));
    assert.equal(sayEnding(await child.link.closed), "exited with code 4");
    const fates = await Promise.allSettled(sends);
    assert.equal(fates[0]?.status, "fulfilled");
    assertNotSent((fates[9] as PromiseRejectedResult).reason, "exited with code 4");
  });

  it("reads what the child said just before it exited, then tells how it ended with its last words", async () => {
    const child = await opened(
      sh("seq 1 20000; echo 'warming up' >&2; printf '\\033[31mno  token\\033[0m\\n' >&2; exit 3"),
    );
    assert.equal(sayEnding(await child.link.closed), "exited with code 3: no token");
    assert.equal(child.messages.length, 20_000);
    assert.deepEqual(child.logs.length, 2);
  });

  it("finds the telling line in the stack trace of a crash", async () => {
    const crash = "const e = new TypeError('no such token'); e.code = 'E1'; throw e;";
    const child = await opened({ ...script("echo"), args: ["-e", crash] });
    assert.equal(sayEnding(await child.link.closed), "exited with code 1: TypeError: no such token");
  });

  for (const [telling, ...hints] of [
    ["npm error notarget No matching version found for server@9.9.9.", "npm notice", "npm notice To update run: npm i"],
    [
      "npm error 404  'server@*' is not in this registry.",
      "npm error 404",
      "npm error 404 Note that you can also install from a",
      "npm error 404 tarball, folder, http url, or git url.",
    ],
  ]) {
    it(`finds the telling line in what npm says at its end: ${telling}`, async () => {
      const log = "npm error A complete log of this run can be found in: /home/me/.npm/_logs/debug-0.log";
      const said = ["npm error code E", telling, ...hints, log].join("\n");
      const child = await opened({
        ...script("echo"),
        args: ["-e", `console.error(${JSON.stringify(said)}); process.exit(1)`],
      });
      assert.equal(sayEnding(await child.link.closed), `exited with code 1: ${telling?.replace("  ", " ")}`);
    });
  }

  it("tells which signal killed it, in 200 characters at most", async () => {
    const child = await opened(sh("printf '%0300d' 1 >&2; kill -9 $$"));
    const reason = sayEnding(await child.link.closed);
    assert.match(reason, /^killed by SIGKILL: 0+$/);
    assert.equal(reason.length, 200);
  });

  it("refuses to send once the child is gone, and a refusal that nobody looks at does no harm", async () => {
    const child = await opened(sh("exit 0"));
    await child.link.closed;
    void child.link.send("nobody looks at this");
    await assert.rejects(child.link.send("x"), (error) => assertNotSent(error, "exited with code 0"));
  });

  it("survives writing to a child that is just leaving", async () => {
    const child = await opened(sh("read -r line; exit 5"));
    for (let gone = false; !gone; gone = await soon(child.link.closed)) void child.link.send("x");
    assert.equal(sayEnding(await child.link.closed), "exited with code 5");
  });

  it("ends a child that closed its output and lives on", async () => {
    const child = await opened(sh("exec 1>&-; sleep 1000"));
    assert.equal(sayEnding(await child.link.closed), "closed its output");
    await child.link.close();
    assert.ok(!isRunning(child.link.pid));
  });

  it("ends a child that closed its input and lives on, at the first message it cannot take", async () => {
    const child = await opened(sh("exec 0<&-; echo ready; sleep 1000"));
    await until("ready", () => child.messages.length === 1);
    await child.link.send("x");
    assert.equal(sayEnding(await child.link.closed), "closed its input");
    await child.link.close();
    assert.ok(!isRunning(child.link.pid));
  });

  it("passes a line over that is too long, tells its size, and goes on with the next", async () => {
    const child = await opened({ ...sh("printf '{\"id\":7,%09000d}\\nnext\\n' 7; cat"), lineBytes: 1000 });
    await until("the next line", () => child.messages.length === 1);
    const [{ bytes, limit, head, tail } = assert.fail()] = child.tooLarge;
    assert.deepEqual([bytes, limit, head.slice(0, 8), tail.slice(-2)], [9009, 1000, '{"id":7,', "7}"]);
    assert.deepEqual(child.messages, ["next"]);
    await child.link.close();
  });

  it("ends a child that floods its output without newline, and names the reason", async () => {
    const child = await opened({ ...script("flood"), lineBytes: 100_000 });
    assert.equal(sayEnding(await child.link.closed), "sent a line of far more than 100000 bytes");
    await child.link.close();
    assert.deepEqual([child.tooLarge, child.messages], [[], []]);
    assert.ok(!isRunning(child.link.pid));
  });
});

describe("a child that does not read its input", () => {
  it("never gets a message whose sender has left while it waited, and gets the others in order", async () => {
    const child = await silent();
    const caller = new AbortController();
    const expired = child.link.send("expired", caller.signal);
    const kept = child.link.send("kept", caller.signal);
    const later = new AbortController();
    const other = child.link.send("other", later.signal);
    assert.equal(getEventListeners(caller.signal, "abort").length, 2);
    const params = { source: "child", seconds: 3 };
    caller.abort(new ZaguanError("DEADLINE_EXCEEDED", { params, delivery: "unknown" }));
    for (const send of [expired, kept]) await assert.rejects(send, isTakenBack("DEADLINE_EXCEEDED", params));
    process.kill(child.link.pid, "SIGCONT");
    await other;
    await until("the rest has come", () => child.messages.at(-1) === "other");
    assert.ok(!child.messages.includes("expired") && !child.messages.includes("kept"));
    assert.equal(getEventListeners(caller.signal, "abort").length, 0);
    assert.equal(getEventListeners(later.signal, "abort").length, 0);
    await child.link.close();
  });

  it("takes a reason that is none of ours for a cancellation, and refuses at once who has left before", async () => {
    const child = await silent();
    const caller = new AbortController();
    const waiting = child.link.send("waiting", caller.signal);
    caller.abort(new Error("a socket closed"));
    await assert.rejects(waiting, isTakenBack("CANCELLED"));
    await assert.rejects(child.link.send("late", caller.signal), isTakenBack("CANCELLED"));
    assert.equal(getEventListeners(caller.signal, "abort").length, 0);
    await child.link.close();
  });

  it("has no more than 16 MiB waiting for it, and those who leave make room", async () => {
    const child = await silent();
    const callers = new AbortController();
    const block = "x".repeat(999_999);
    const waiting = Array.from({ length: 16 }, () => child.link.send(block, callers.signal));
    await assert.rejects(child.link.send(block), (error) => assertNotSent(error, "does not read its input"));
    callers.abort();
    for (const send of waiting) await assert.rejects(send, isTakenBack("CANCELLED"));
    const another = child.link.send(block);
    assert.equal(await soon(another), false);
    process.kill(child.link.pid, "SIGCONT");
    await another;
    await child.link.close();
  });

  it("is ended when it takes nothing for too long, and who waited is told that nothing left", async () => {
    const child = await opened({ ...sh("sleep 1000"), ...quick, stallMs: 100 });
    const sends = Array.from({ length: 5 }, () => child.link.send("x".repeat(500_000)));
    assert.equal(sayEnding(await child.link.closed), "does not read its input");
    await assert.rejects(sends[4] as Promise<void>, (error) => assertNotSent(error, "does not read its input"));
    await child.link.close();
    assert.ok(!isRunning(child.link.pid));
  });

  it("lives on if little waits for it", async () => {
    const child = await opened({ ...sh("sleep 1000"), ...quick, stallMs: 20 });
    await child.link.send("x".repeat(500_000));
    assert.equal(await soon(child.link.closed, 200), false);
    await child.link.close();
    assert.equal(sayEnding(await child.link.closed), "stopped");
  });

  it("lives on when it has read again, however long nothing is sent then", async () => {
    const options = { ...sh("exec cat"), ...quick, stallMs: 600_000 };
    const child = await silent(options);
    options.stallMs = 20;
    process.kill(child.link.pid, "SIGCONT");
    await until("all has come", () => child.messages.length === 3);
    assert.equal(await soon(child.link.closed, 200), false);
    await child.link.close();
    assert.equal(sayEnding(await child.link.closed), "stopped");
  });
});

describe("a child that cannot be started", () => {
  const refusals: readonly [string, Partial<ChildLinkOptions>, string][] = [
    ["an unknown command", { command: "/nowhere/no-such-command" }, "command not found: no-such-command"],
    ["an empty command", { command: " " }, "no command is given"],
    ["a NUL in an argument", { args: ["a\0b"] }, "a NUL character stands in its command, arguments or environment"],
    ["a NUL in a variable", { env: { A: "\0" } }, "a NUL character stands in its command, arguments or environment"],
    ["a missing folder", { cwd: "/nowhere/at/all" }, "its working directory does not exist"],
    ["an argument without measure", { args: ["x".repeat(10_000_000)] }, "could not be started (E2BIG)"],
  ];
  for (const [what, options, reason] of refusals) {
    it(`is refused for ${what}`, async () => {
      const attempt = openChildLink({ ...sh("exit 0"), ...options }, { onMessage: () => {} });
      await assert.rejects(attempt, (error) => assertNotSent(error, reason));
    });
  }

  it("is refused if it is no program", async () => {
    const folder = mkdtempSync(join(tmpdir(), "child-"));
    writeFileSync(join(folder, "plain.txt"), "hello");
    const attempt = openChildLink({ ...sh(""), command: join(folder, "plain.txt") }, { onMessage: () => {} });
    await assert.rejects(attempt, (error) => assertNotSent(error, "not executable: plain.txt"));
    rmSync(folder, { recursive: true });
  });
});

describe("closing a link to a child process", linuxOnly, () => {
  it("lets an obedient child leave by itself at the end of its input", async () => {
    const child = await opened({ ...sh("cat; echo bye"), eofMs: 10_000 });
    await child.link.close();
    assert.equal(sayEnding(await child.link.closed), "stopped");
    assert.deepEqual(child.messages, ["bye"]);
  });

  it("sends SIGTERM to one that stays, which may then clean up", async () => {
    const line = "trap 'echo cleaned; exit' TERM; echo ready; while :; do sleep 0.05; done";
    const child = await opened({ ...sh(line), eofMs: 50, termMs: 10_000 });
    await until("ready", () => child.messages.length === 1);
    await child.link.close();
    assert.deepEqual(child.messages, ["ready", "cleaned"]);
  });

  it("kills one that ignores SIGTERM", async () => {
    const child = await opened({ ...script("stubborn"), ...quick });
    await until("ready", () => child.messages.length === 1);
    await child.link.close();
    assert.ok(!isRunning(child.link.pid));
  });

  it("ends a wrapper's grandchild that ignores SIGTERM", async () => {
    const child = await opened({ ...sh(`${STUBBORN_GRANDCHILD}; cat`), ...quick });
    const grandchild = await firstNumber(child);
    assert.ok(isRunning(grandchild));
    await child.link.close();
    assert.ok(!isRunning(grandchild) && !isRunning(child.link.pid));
  });

  it("ends a daemon that left group, session and parent, though the child itself left in good order", async () => {
    const child = await opened({ ...script("daemon"), ...quick, eofMs: 10_000 });
    const daemon = await firstNumber(child);
    assert.ok(isRunning(daemon));
    await child.link.close();
    assert.ok(!isRunning(daemon) && !isRunning(child.link.pid));
  });

  it("ends what is left of the group when the child exits by itself", async () => {
    const child = await opened({ ...sh(`${STUBBORN_GRANDCHILD}; read -r line; exit 7`), ...quick });
    const grandchild = await firstNumber(child);
    await child.link.send("go");
    assert.equal(sayEnding(await child.link.closed), "exited with code 7");
    await until("the grandchild is gone, though nobody asked", () => !isRunning(grandchild));
    await child.link.close();
  });

  it("tells of an exit without waiting for what is left of the group, and waits for that when closing", async () => {
    const child = await opened({ ...sh(`${STUBBORN_GRANDCHILD}; read -r line; exit 7`), termMs: 60_000 });
    const grandchild = await firstNumber(child);
    await child.link.send("go");
    assert.equal(sayEnding(await child.link.closed), "exited with code 7");
    assert.ok(isRunning(grandchild));
    assert.ok(!(await soon(child.link.close())));
    process.kill(grandchild, "SIGKILL");
    await child.link.close();
  });

  it("is one ending for all who ask, at whatever time", async () => {
    const child = await opened({ ...script("stubborn"), ...quick });
    const first = child.link.close();
    assert.equal(child.link.close(), first);
    await first;
    assert.equal(child.link.close(), first);
    await assert.rejects(child.link.send("x"), (error) => assertNotSent(error, "stopped"));
  });

  it("leaves other children alone, marker 1 and marker 10 included", async () => {
    const many = await Promise.all(Array.from({ length: 10 }, () => opened(sh("cat"))));
    await many[0]?.link.close();
    assert.ok(many.slice(1).every(({ link }) => isRunning(link.pid)));
    await Promise.all(many.map(({ link }) => link.close()));
    assert.ok(many.every(({ link }) => !isRunning(link.pid)));
  });

  it("leaves no zombie and no open file after 30 lives", async () => {
    await (await opened(sh("cat"))).link.close();
    const files = openFiles();
    for (let i = 0; i < 30; i++) {
      const child = await opened({ ...sh(i % 2 ? "sleep 1000 & cat" : "exit 1"), ...quick });
      await child.link.close();
    }
    const strangers = (): number[] => ownChildren().filter((pid) => pid !== undertakerPid());
    await until("no child is left", () => strangers().length === 0);
    await until("open files are as before", () => openFiles() <= files);
  });
});

const STUBBORN_GRANDCHILD = "{ sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.2; done' & }";
const quick = { eofMs: 80, termMs: 80 };

function script(name: string): ChildLinkOptions {
  const path = new URL(`../../test/support/children/${name}.mjs`, import.meta.url).pathname;
  return { command: process.execPath, args: [path], env: {}, lineBytes: 1_000_000, name: "child" };
}

function sh(line: string): ChildLinkOptions {
  return { command: "sh", args: ["-c", line], env: {}, lineBytes: 1_000_000, name: "child" };
}

async function opened(options: ChildLinkOptions): Promise<Opened> {
  const seen = { messages: [] as string[], logs: [] as string[], noise: [] as string[], tooLarge: [] as CutMessage[] };
  const link = await openChildLink(options, {
    onMessage: (line) => seen.messages.push(line),
    onLog: (line) => seen.logs.push(line),
    onNoise: (line) => seen.noise.push(line),
    onTooLarge: (line) => seen.tooLarge.push(line),
  });
  const child = { link, ...seen };
  open.push(child);
  return child;
}

/** Repeats every line once it is let go on (SIGCONT); until then its pipe is full, and whatever is sent waits. */
async function silent(options: ChildLinkOptions = { ...sh("exec cat"), ...quick }): Promise<Opened> {
  const child = await opened(options);
  await child.link.send("ready");
  await until("it is up", () => child.messages.length === 1);
  child.messages.length = 0;
  process.kill(child.link.pid, "SIGSTOP");
  for (let i = 0; i < 3; i++) await child.link.send("f".repeat(500_000));
  return child;
}

async function firstNumber({ messages }: Opened): Promise<number> {
  await until("a process number", () => messages.length > 0);
  return Number(messages[0]);
}

async function soon(promise: Promise<unknown>, ms = 5): Promise<boolean> {
  const later = new Promise<boolean>((resolve) => setTimeout(resolve, ms, false));
  return await Promise.race([promise.then(() => true), later]);
}

function isTakenBack(code: ErrorCode, params?: object): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ZaguanError);
    assert.deepEqual([error.code, error.delivery, error.details.params], [code, "not_sent", params]);
    return true;
  };
}

function assertNotSent(error: unknown, reason: string): true {
  assert.ok(error instanceof ZaguanError);
  assert.equal(error.code, "SOURCE_UNAVAILABLE");
  assert.equal(error.delivery, "not_sent");
  assert.deepEqual(error.details.params, { source: "child", reason });
  return true;
}
