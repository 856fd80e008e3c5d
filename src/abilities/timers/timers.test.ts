/** Countdowns on a clock that stands still until it is moved, and once on a process that is killed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Bench, onBench } from "../../../test/support/ability-bench.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { LightAbort } from "../../light-abort.ts";
import { LANGUAGES } from "../../messages/catalogue.ts";
import { memoryDocuments } from "../../store/memory-documents.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import type { DocumentTable } from "../../store/store.ts";
import { runTool } from "../../user-tools/run.ts";
import type { AnyUserTool } from "../../user-tools/tool.ts";
import type { Order } from "../ability.ts";
import { makeTimers } from "./index.ts";

type Members = Readonly<Record<string, unknown>>;

interface Listed {
  readonly total_active_timers: number;
  readonly timers: readonly Members[];
  readonly recent: readonly Members[];
}

const NOW = Date.parse("2026-07-01T13:45:12Z");
const LIGHT = JSON.stringify({ name: "set_light_state", arguments: { name: "sala", on: true } });
const ANA: Principal = { id: "key:1", kind: "key", name: "ana" };

let clock: FakeClock;
let documents: DocumentTable;
let called: [string, Members][];
let call: (tool: string, args: Members) => Promise<string>;
let bench: Bench;

beforeEach(async () => {
  clock = new FakeClock(1_000);
  documents = memoryDocuments();
  called = [];
  call = async (tool) => `${tool} done`;
  bench = await open();
});

describe("the tools of the countdowns", () => {
  it("have the names, properties and defaults of py-xiaozhi", () => {
    assert.deepEqual(
      bench.definitions.map(({ name, inputSchema }) => [name, inputSchema]),
      [
        [
          "timer.start_countdown",
          {
            type: "object",
            properties: {
              command: { type: "string" },
              delay: { type: "integer", default: 5, minimum: 1, maximum: 3_600 },
              description: { type: "string", default: "" },
            },
            required: ["command"],
          },
        ],
        [
          "timer.cancel_countdown",
          { type: "object", properties: { timer_id: { type: "integer" } }, required: ["timer_id"] },
        ],
        ["timer.get_active_timers", { type: "object", properties: {}, required: [] }],
      ],
    );
  });

  it("are described in four languages", () => {
    for (const { name, description, descriptions } of bench.open.tools) {
      const texts = LANGUAGES.map((language) => (language === "en" ? description : descriptions?.[language]));
      assert.equal(new Set(texts).size, 4, name);
    }
  });
});

describe("a countdown", () => {
  it("is started, shown and carried out, in the words of py-xiaozhi", async () => {
    assert.deepEqual(Object.entries(await start({ delay: 60, description: "开灯" })), [
      ["success", true],
      ["message", "倒计时 0 已启动，将在 60 秒后执行"],
      ["timer_id", 0],
      ["delay", 60],
      ["command", LIGHT],
      ["description", "开灯"],
      ["start_time", "2026-07-01T15:45:12"],
      ["estimated_execution_time", "2026-07-01T15:46:12"],
    ]);
    await clock.advance(15_000);
    assert.deepEqual(await bench.call("timer.get_active_timers"), {
      success: true,
      total_active_timers: 1,
      timers: [
        {
          timer_id: 0,
          command: LIGHT,
          description: "开灯",
          delay: 60,
          remaining_seconds: 45,
          start_time: "2026-07-01T15:45:12",
          estimated_execution_time: "2026-07-01T15:46:12",
          progress: 0.25,
        },
      ],
      current_time: "2026-07-01T15:45:27",
      recent: [],
    });
    await clock.advance(44_999);
    assert.deepEqual(called, []);
    await clock.advance(1);
    assert.deepEqual(called, [["set_light_state", { name: "sala", on: true }]]);
    const { total_active_timers, recent } = await list();
    assert.equal(total_active_timers, 0);
    assert.deepEqual(recent, [
      {
        timer_id: 0,
        command: LIGHT,
        description: "开灯",
        status: "done",
        message: "开灯执行完成",
        due_time: "2026-07-01T15:46:12",
        run_time: "2026-07-01T15:46:12",
        late_seconds: 0,
        ended_time: "2026-07-01T15:46:12",
        result: "set_light_state done",
      },
    ]);
  });

  it("takes five seconds where nobody says, and a number that was never used", async () => {
    assert.deepEqual([(await start())["delay"], (await start())["timer_id"]], [5, 1]);
    await clock.advance(5_000);
    assert.equal((await start())["timer_id"], 2);
  });

  const wrong: readonly (readonly [string, string])[] = [
    ["turn on the light", "命令格式错误，无法解析JSON: turn on the light"],
    ["", "命令格式错误，无法解析JSON: "],
    ["null", "MCP命令格式错误，必须包含 'name' 和 'arguments' 字段"],
    ["[]", "MCP命令格式错误，必须包含 'name' 和 'arguments' 字段"],
    ['{"name":"x"}', "MCP命令格式错误，必须包含 'name' 和 'arguments' 字段"],
    ['{"name":"","arguments":{}}', "MCP命令格式错误，必须包含 'name' 和 'arguments' 字段"],
    ['{"name":"x","arguments":[]}', "MCP命令格式错误，必须包含 'name' 和 'arguments' 字段"],
    ['{"arguments":{}}', "MCP命令格式错误，必须包含 'name' 和 'arguments' 字段"],
    ['{"name":"timer.start_countdown","arguments":{}}', "倒计时不能调用 timer.start_countdown，以免无限循环"],
    [
      '{"name":"timers__timer.cancel_countdown","arguments":{}}',
      "倒计时不能调用 timers__timer.cancel_countdown，以免无限循环",
    ],
    [`{"name":"x","arguments":{"a":"${"x".repeat(4_000)}"}}`, "command 最多 4000 个字符"],
  ];
  for (const [command, message] of wrong) {
    it(`is refused with ${command.slice(0, 60) || "nothing"}`, async () => {
      assert.deepEqual(await start({ command }), { success: false, message });
      assert.equal(clock.pending, 0);
    });
  }

  it("is one of a thousand at most", async () => {
    for (let count = 0; count < 200; count++) await startAs(ANA);
    for (let count = 0; count < 800; count++) await start({ delay: 3_600 });
    assert.deepEqual(await start(), { success: false, message: "活动的倒计时已达 1000 个，请先取消一些" });
    await cancel(500);
    assert.equal((await start())["success"], true);
  });

  it("is one of eight hundred that one starter may have, whichever agents that one acts as", async () => {
    const agent: Principal = { id: "agent:eva", kind: "agent", name: "eva", account: ANA.id };
    for (let count = 0; count < 800; count++) await startAs(count % 2 === 0 ? ANA : agent);
    await bench.open.close();
    bench = await open();
    for (const one of [ANA, agent, { ...agent, id: "agent:ines" }])
      assert.deepEqual(await startAs(one), { success: false, message: "您的活动倒计时已达 800 个上限，请先取消一些" });
    const { account: _, ...byItself } = agent;
    assert.equal((await startAs(byItself))["success"], true);
    assert.equal((await start())["success"], true);
  });

  it("that fails says why, in the language of whoever asks", async () => {
    call = async () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "set_light_state" } }));
    await start();
    await clock.advance(5_000);
    const [run] = (await list()).recent;
    assert.deepEqual(
      [run?.["status"], run?.["message"], run?.["error"]],
      ["failed", "倒计时 0 执行失败", "未知工具：set_light_state"],
    );
    const english = await bench.call<Listed>("timer.get_active_timers", {}, "en");
    assert.deepEqual(
      [english.recent[0]?.["message"], english.recent[0]?.["error"]],
      ["Countdown 0: failed", "Unknown tool: set_light_state"],
    );
  });

  it("that fails for reasons that nobody expected keeps them for the log", async () => {
    call = async () => Promise.reject(new Error("ENOENT /secret"));
    await start();
    await clock.advance(5_000);
    assert.equal((await list()).recent[0]?.["error"], "发生意外错误，详情见日志");
    assert.match(bench.logged.join(), /ENOENT \/secret/);
  });

  it("of which nobody knows whether it ran is told as such", async () => {
    call = async () =>
      Promise.reject(new ZaguanError("OUTCOME_UNKNOWN", { params: { source: "s" }, delivery: "unknown" }));
    await start({ description: "浇花" });
    await clock.advance(5_000);
    const [run] = (await list()).recent;
    assert.deepEqual([run?.["status"], run?.["message"]], ["unknown", "浇花执行结果未知，不会重试"]);
  });

  it("leaves its trace among the last fifty", async () => {
    for (let count = 0; count < 60; count++) await start({ delay: 1 });
    await clock.advance(1_000);
    await settled(async () => (await list()).total_active_timers === 0);
    const { recent } = await list();
    assert.equal(called.length, 60);
    assert.equal(recent.length, 50);
  });
});

describe("a countdown that was not carried out", () => {
  it("is told of however many are carried out after it", async () => {
    call = async () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "set_light_state" } }));
    await start({ delay: 1 });
    await clock.advance(1_000);
    call = async () => "on";
    for (let count = 0; count < 60; count++) await start({ delay: 1 });
    await clock.advance(1_000);
    await settled(async () => (await list()).total_active_timers === 0);
    const statuses = (await list()).recent.map(({ status }) => status);
    assert.deepEqual([statuses.length, statuses.at(-1)], [51, "failed"]);
  });
});

describe("a countdown whose starter", () => {
  it("has no rights any more is refused when its time comes", async () => {
    await start();
    await bench.open.close();
    bench = await onBench(makeTimers(NOW_BY_CLOCK), MADRID, { ...context(), principalOf: async () => undefined });
    await clock.advance(5_000);
    const [run] = (await list()).recent;
    assert.deepEqual([run?.["status"], run?.["message"], called], ["refused", "倒计时 0 被拒绝，未调用任何工具", []]);
    assert.match(String(run?.["error"]), /密钥已撤销/);
  });

  it("is not known, since an older version kept it, is refused and told to administrators", async () => {
    const old = { id: 7, command: LIGHT, description: "", delay: 5, startedAt: NOW, dueAt: NOW };
    await documents.put("ability:timers", "timers", { next: 8, timers: [old], recent: [] });
    await bench.open.close();
    bench = await open();
    await clock.advance(5_000);
    assert.deepEqual([(await list()).recent[0]?.["status"], called], ["refused", []]);
    const hers = await bench.call<Listed>("timer.get_active_timers", {}, "en", ANA);
    assert.deepEqual(hers.recent, []);
  });

  it("is another does not exist", async () => {
    await start({ delay: 60 });
    const hers = await bench.call<Listed>("timer.get_active_timers", {}, "en", ANA);
    assert.deepEqual([hers.total_active_timers, hers.timers], [0, []]);
    const cancelled = await bench.call("timer.cancel_countdown", { timer_id: 0 }, "zh", ANA);
    assert.deepEqual(cancelled, { success: false, message: "找不到ID为 0 的活动倒计时", timer_id: 0 });
    assert.equal((await cancel(0))["success"], true);
  });

  it("may not start it at all, since nobody says who it is", async () => {
    const { value } = await runTool(
      bench.open.tools[0] as AnyUserTool,
      { command: LIGHT },
      { language: "en", signal: new LightAbort() },
    );
    assert.match(JSON.stringify(value), /success\\":false/);
  });
});

describe("cancelling a countdown", () => {
  it("stops it, once", async () => {
    await start({ delay: 10 });
    assert.deepEqual(await cancel(0), {
      success: true,
      message: "倒计时 0 已取消",
      timer_id: 0,
      cancelled_at: "2026-07-01T15:45:12",
    });
    assert.deepEqual(await cancel(0), { success: false, message: "找不到ID为 0 的活动倒计时", timer_id: 0 });
    assert.equal(clock.pending, 0);
    await clock.advance(20_000);
    assert.deepEqual(called, []);
  });

  it("comes too late when it is being carried out", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    call = () => promise;
    await start();
    await clock.advance(5_000);
    assert.deepEqual(await cancel(0), { success: false, message: "倒计时 0 正在执行，无法取消", timer_id: 0 });
    assert.deepEqual(
      (await list()).timers.map((each) => [each["status"], each["remaining_seconds"]]),
      [["running", 0]],
    );
    resolve("on");
    await settled(async () => (await list()).recent[0]?.["status"] === "done");
  });

  it("and its time at the same moment end in one of the two, never in both", async () => {
    for (let count = 0; count < 50; count++) {
      await start({ delay: 1 });
      const late = clock.advance(1_000);
      if (count % 2 === 1) await turn();
      const [answer] = await Promise.all([cancel(count), late]);
      await settled(async () => (await list()).total_active_timers === 0);
      assert.equal(called.length, answer["success"] ? 0 : 1, `round ${count}`);
      called.length = 0;
    }
  });

  it("in one process holds in another", async () => {
    await start({ delay: 10 });
    const other = await open();
    assert.equal((await other.call("timer.cancel_countdown", { timer_id: 0 }))["success"], true);
    await clock.advance(20_000);
    assert.deepEqual(called, []);
  });
});

describe("a restart", () => {
  it("leaves a countdown its time", async () => {
    await start({ delay: 600 });
    await clock.advance(100_000);
    await bench.open.close();
    assert.equal(clock.pending, 0);
    bench = await open();
    await clock.advance(499_999);
    assert.equal(called.length, 0);
    await clock.advance(1);
    assert.equal(called.length, 1);
  });

  it("carries out at once what came due meanwhile, and says how late", async () => {
    await start({ delay: 60 });
    await bench.open.close();
    await clock.advance(3_660_000);
    bench = await open();
    await clock.advance(0);
    assert.equal(called.length, 1);
    assert.equal((await list()).recent[0]?.["late_seconds"], 3_600);
  });

  it("does not make up for what is more than a day late", async () => {
    await start({ delay: 60, description: "浇花" });
    await bench.open.close();
    await clock.advance(24 * 3_600_000 + 60_001);
    bench = await open();
    await clock.advance(10_000);
    const { recent, total_active_timers } = await list();
    assert.deepEqual([called.length, total_active_timers], [0, 0]);
    assert.deepEqual(
      [recent[0]?.["status"], recent[0]?.["message"]],
      ["missed", "浇花已错过：到期时程序未运行，不会重试"],
    );
  });

  it("does not repeat what may have run, and believes whoever knows better", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    call = () => promise;
    await start();
    await clock.advance(5_000);
    const other = await open();
    await clock.advance(60_000);
    const told = await other.call<Listed>("timer.get_active_timers");
    assert.deepEqual([told.total_active_timers, told.recent[0]?.["status"], called.length], [0, "unknown", 1]);
    resolve("on after all");
    await settled(async () => (await list()).recent[0]?.["status"] === "done");
    assert.equal((await list()).recent.length, 1);
  });

  it("that falls between the mark and the call leaves the countdown to the next life", async () => {
    let letGo = () => {};
    const slow: DocumentTable = {
      ...whole(documents),
      update: async (collection, key, change) => {
        const result = await documents.update(collection, key, change);
        await new Promise<void>((resolve) => (letGo = resolve));
        return result;
      },
    };
    await start({ delay: 5 });
    const first = await open(slow);
    await bench.open.close();
    await clock.advance(5_000);
    const closing = first.open.close();
    for (let round = 0; round < 3; round++) {
      letGo();
      await clock.advance(0);
    }
    await closing;
    assert.equal(called.length, 0);
    bench = await open();
    await clock.advance(0);
    assert.equal(called.length, 1);
  });

  it("runs many that are late a few at a time", async () => {
    for (let count = 0; count < 100; count++) await start({ delay: 1 });
    await bench.open.close();
    await clock.advance(10_000);
    const waiting: (() => void)[] = [];
    call = () => new Promise((resolve) => waiting.push(() => resolve("")));
    bench = await open();
    await clock.advance(0);
    assert.equal(called.length, 8);
    await settled(async () => {
      waiting.shift()?.();
      return (await list()).total_active_timers === 0;
    });
    assert.equal(called.length, 100);
  });

  it("carries out nothing before all sources are attached, whose tools would be unknown", async () => {
    await start({ delay: 1 });
    await bench.open.close();
    const { promise: attached, resolve } = Promise.withResolvers<void>();
    bench = await onBench(makeTimers(NOW_BY_CLOCK), MADRID, { ...context(), attached });
    await clock.advance(10_000);
    const { timers } = await list();
    assert.deepEqual([called, timers[0]?.["status"]], [[], undefined]);
    resolve();
    await settled(async () => (await list()).total_active_timers === 0);
    assert.equal(called.length, 1);
  });

  it("of two processes lets one of them carry it out", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    call = () => promise;
    await start({ delay: 30 });
    const others = await Promise.all([open(), open(), open()]);
    await clock.advance(30_000);
    resolve("on");
    await settled(async () => (await list()).total_active_timers === 0);
    assert.equal(called.length, 1);
    for (const other of others) await other.open.close();
  });

  it("is not held up by a clock that was set back", async () => {
    await start({ delay: 60 });
    await bench.open.close();
    bench = await onBench(
      makeTimers(() => NOW - 10 * 86_400_000),
      MADRID,
      context(),
    );
    await clock.advance(60_000);
    assert.equal(called.length, 1);
  });
});

describe("closing", () => {
  it("waits for what is being carried out, but not for ever", async () => {
    call = () => new Promise(() => {});
    await start();
    await clock.advance(5_000);
    let isClosed = false;
    const closing = bench.open.close().then(() => {
      isClosed = true;
    });
    await clock.advance(1_999);
    assert.equal(isClosed, false);
    await clock.advance(1);
    await closing;
  });
});

describe("a store that fails", () => {
  it("is told of, and asked again for what is due", async () => {
    await start({ delay: 5 });
    const { update } = whole(documents);
    let isBroken = true;
    const broken = {
      ...whole(documents),
      update: ((...args) => (isBroken ? Promise.reject(new Error("disk full")) : update(...args))) as typeof update,
    };
    await bench.open.close();
    bench = await open(broken);
    await clock.advance(5_000);
    assert.deepEqual(await start(), { success: false, message: "启动倒计时失败: 无法访问倒计时数据，原因见日志" });
    assert.deepEqual(called, []);
    assert.match(bench.logged.join("\n"), /Countdown 0 is due and cannot be marked as such: disk full/);
    isBroken = false;
    await clock.advance(30_000);
    assert.equal(called.length, 1);
  });
});

describe("a process that is killed", () => {
  it("has carried a countdown out once at most, and its heir says that nobody knows", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-timers-"));
    const [file, ledger] = [join(folder, "a.db"), join(folder, "ledger")];
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(file, ledger)], { stdio: "ignore" });
    try {
      await settled(async () => existsSync(ledger) && readFileSync(ledger, "utf8") !== "", 20_000);
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
      const store = await openSqliteStore(file);
      bench = await open(store.documents, Date.now);
      await clock.advance(3_600_000);
      const { recent, total_active_timers } = await list();
      assert.deepEqual([total_active_timers, recent[0]?.["status"], called.length], [0, "unknown", 0]);
      assert.equal(readFileSync(ledger, "utf8"), "set_light_state\n");
      await bench.open.close();
      await store.close();
    } finally {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    }
  });
});

describe("a countdown for what its starter may not call", () => {
  it("is refused, as if there were no such tool", async () => {
    const check = async ({ tool }: Order) => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool } }));
    const limited = await onBench(makeTimers(), MADRID, { ...context(), check });
    const { success, message } = await limited.call("timer.start_countdown", { command: LIGHT });
    assert.equal(success, false);
    assert.match(String(message), /set_light_state/);
    const { total_active_timers } = await limited.call("timer.get_active_timers");
    assert.equal(total_active_timers, 0);
    await limited.open.close();
  });

  it("is refused at once by the rights that its starter has, though these did not come along from another node", async () => {
    const agent: Principal = { id: "agent:ana", kind: "agent", name: "ana" };
    const principalOf = async () => ({ ...agent, links: { find: () => undefined } });
    const check = async ({ tool, principal }: Order) => {
      if (isLimited(principal)) throw new ZaguanError("UNKNOWN_TOOL", { params: { tool } });
    };
    const owner = await onBench(makeTimers(), MADRID, { ...context(), principalOf, check });
    const { success } = await owner.call("timer.start_countdown", { command: LIGHT }, "en", agent);
    assert.equal(success, false);
    await owner.open.close();
  });

  it("is refused at once to whoever is not known here any more", async () => {
    const owner = await onBench(makeTimers(), MADRID, { ...context(), principalOf: async () => undefined });
    const { success, message } = await owner.call("timer.start_countdown", { command: LIGHT }, "en", ANA);
    assert.equal(success, false);
    assert.match(String(message), /no access any more|revoked/);
    await owner.open.close();
  });
});

const MADRID = { timeZone: "Europe/Madrid" };

const NOW_BY_CLOCK = (): number => NOW + clock.now() - 1_000;

function open(kept: DocumentTable = documents, now: () => number = NOW_BY_CLOCK): Promise<Bench> {
  return onBench(makeTimers(now), MADRID, context(kept));
}

function context(kept: DocumentTable = documents) {
  const noted = ({ tool, args }: Order) => {
    called.push([tool, args]);
    return call(tool, args);
  };
  return { clock, documents: kept, call: noted };
}

function start(args: object = {}): Promise<Members> {
  return bench.call("timer.start_countdown", { command: LIGHT, ...args });
}

function startAs(principal: Principal): Promise<Members> {
  return bench.call("timer.start_countdown", { command: LIGHT, delay: 3_600 }, "zh", principal);
}

function cancel(timer_id: number): Promise<Members> {
  return bench.call("timer.cancel_countdown", { timer_id });
}

function list(): Promise<Listed> {
  return bench.call<Listed>("timer.get_active_timers");
}

/** The methods of a table, as properties that can be replaced one by one. */
function whole(table: DocumentTable): DocumentTable {
  return {
    get: (...args) => table.get(...args),
    list: (...args) => table.list(...args),
    put: (...args) => table.put(...args),
    delete: (...args) => table.delete(...args),
    update: (...args) => table.update(...args),
  };
}

async function settled(isSo: () => Promise<boolean>, ms = 60_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isSo())) {
    assert.ok(Date.now() < end, "it never came to that");
    await sleep(5);
  }
}

/** Starts a countdown of a second; the tool that it calls writes a line and never returns. */
function program(file: string, ledger: string): string {
  const from = (path: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);
  return `
    import { appendFileSync } from "node:fs";
    import { openSqliteStore } from ${from("../../store/sqlite/store.ts")};
    import { makeTimers } from ${from("index.ts")};
    const store = await openSqliteStore(${JSON.stringify(file)});
    const clock = {
      now: () => performance.now(),
      after: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); },
    };
    const call = ({ tool }) => { appendFileSync(${JSON.stringify(ledger)}, tool + "\\n"); return new Promise(() => {}); };
    const principal = { id: "local", kind: "local", name: "local", admin: true };
    const judged = { attached: Promise.resolve(), principalOf: async () => principal, check: async () => {} };
    const around = { ...judged, clock, documents: store.documents, env: {}, call, log: () => {} };
    const { tools } = await makeTimers().open({}, around);
    const command = ${JSON.stringify(LIGHT)};
    await tools[0].handler({ command, delay: 1, description: "" }, { language: "en", principal });
    setInterval(() => {}, 1_000);
  `;
}
