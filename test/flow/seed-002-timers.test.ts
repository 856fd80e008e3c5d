/** Timers that call a tool later, at a real hub: in time, over a restart, over a crash, and not when cancelled. From the documents alone. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "../support/line-rpc.ts";
import { ABILITIES, abilities, assertNothingInner, type OpenHub, openHub, untilListed } from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-timers-"));
let house: OpenHub;
const open = async (): Promise<void> => {
  house = await openHub(abilities(ABILITIES.timers), { folder });
  await untilListed(house.http, "timer.start_countdown", "set_light_state");
};
before(open);
after(async () => {
  await house?.hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function told(name: string, args: object = {}): Promise<Message> {
  return JSON.parse(await house.http.textOf("/mcp", `timer.${name}`, args));
}

/** Switches on a lamp later. */
async function start(lamp: string, delay?: number): Promise<Message> {
  const command = JSON.stringify({ name: "set_light_state", arguments: { name: lamp, on: true } });
  const answer = await told("start_countdown", { command, description: lamp, ...(delay && { delay }) });
  assert.equal(answer.success, true, JSON.stringify(answer));
  assert.ok(Number.isInteger(answer.timer_id));
  return answer;
}

async function lit(): Promise<string> {
  return house.http.textOf("/mcp", "list_lights_on", {});
}

async function untilLit(lamp: string): Promise<void> {
  await askUntil(`${lamp} is on`, lit, (lamps) => lamps.includes(lamp));
}

async function off(lamp: string): Promise<void> {
  await house.http.textOf("/mcp", "set_light_state", { name: lamp, on: false });
  assert.ok(!(await lit()).includes(lamp));
}

const active = async (): Promise<Message[]> => (await told("get_active_timers")).timers;

/** Between the two it is neither, while its tool is called. */
async function untilThereOrDone(timerId: number, lamp: string): Promise<void> {
  const isThere = async (): Promise<boolean> => (await active()).some(({ timer_id }) => timer_id === timerId);
  await askUntil("the timer is there or done", async () => (await isThere()) || (await lit()).includes(lamp), Boolean);
}

describe("a timer", () => {
  it("calls its tool when its time has come, and is gone", async () => {
    await off("salon");
    const { timer_id } = await start("salon", 2);
    await untilThereOrDone(timer_id, "salon");
    await untilLit("salon");
    await askUntil("it is gone", active, (timers) => timers.length === 0);
  });

  it("tells how far it is", async () => {
    const { timer_id } = await start("cocina", 600);
    const answer = await told("get_active_timers");
    assert.deepEqual([answer.success, answer.total_active_timers], [true, 1]);
    assert.equal(typeof answer.current_time, "string");
    const [timer] = answer.timers;
    assert.deepEqual([timer.timer_id, timer.description, timer.delay], [timer_id, "cocina", 600]);
    assert.equal(JSON.parse(timer.command).name, "set_light_state");
    assert.ok(timer.remaining_seconds > 500 && timer.remaining_seconds <= 600, String(timer.remaining_seconds));
    assert.ok(timer.progress >= 0 && timer.progress < 0.2, String(timer.progress));
    const planned = Date.parse(timer.estimated_execution_time) - Date.parse(timer.start_time);
    assert.ok(Math.abs(planned - 600_000) < 2_000, String(planned));
    assert.equal((await told("cancel_countdown", { timer_id })).success, true);
  });

  it("takes five seconds if nobody says how many", async () => {
    const { timer_id } = await start("cocina");
    const [timer] = await active();
    assert.equal(timer?.delay, 5);
    await told("cancel_countdown", { timer_id });
  });

  it("that was cancelled never calls, while a later one does", async () => {
    for (const lamp of ["bano", "garage"]) await off(lamp);
    const { timer_id } = await start("bano", 5);
    assert.equal((await told("cancel_countdown", { timer_id })).success, true);
    await start("garage", 6);
    await untilLit("garage");
    assert.ok(!(await lit()).includes("bano"));
    const again = await told("cancel_countdown", { timer_id });
    assert.equal(again.success, false);
    assert.match(again.message, /\S/);
  });

  it("has an id that no other has", async () => {
    const ids = [];
    for (const _ of [1, 2, 3]) ids.push((await start("salon", 600)).timer_id);
    assert.equal(new Set(ids).size, 3);
    for (const timer_id of ids) await told("cancel_countdown", { timer_id });
    assert.deepEqual(await active(), []);
  });
});

describe("a restart", () => {
  it("does not stop a timer: it calls when its time has come", async () => {
    await off("dormitorio");
    const { timer_id } = await start("dormitorio", 8);
    await house.hub.stop();
    await open();
    await untilThereOrDone(timer_id, "dormitorio");
    await untilLit("dormitorio");
  });

  it("that takes longer than a timer makes it late, not lost", async () => {
    await off("dormitorio");
    await start("dormitorio", 1);
    await house.hub.stop();
    await sleep(1_500);
    await open();
    await untilLit("dormitorio");
    await askUntil("it is gone", active, (timers) => timers.length === 0);
  });

  it("may be a crash", async () => {
    await off("dormitorio");
    await start("dormitorio", 5);
    await house.hub.kill();
    await open();
    await untilLit("dormitorio");
  });

  it("brings back neither what was cancelled nor what was done", async () => {
    await off("salon");
    const { timer_id } = await start("salon", 600);
    await told("cancel_countdown", { timer_id });
    await house.hub.stop();
    await open();
    assert.deepEqual(await active(), []);
    assert.ok(!(await lit()).includes("salon"));
  });
});

describe("a command", () => {
  it("that is none is refused with a reason, in a result that is no error", async () => {
    const { success, message } = await told("start_countdown", { command: "{{{", delay: 1 });
    assert.equal(success, false);
    assert.match(message, /\S/);
  });

  it("of a tool that fails, or is not there, is logged and harms nobody", async () => {
    const logged = house.logged().length;
    for (const name of ["no_such_tool", "set_light_state"]) {
      await told("start_countdown", { command: JSON.stringify({ name, arguments: {} }), delay: 1 });
    }
    await askUntil("both are done", active, (timers) => timers.length === 0);
    await askUntil(
      "the log says so",
      async () => house.logged().slice(logged),
      (log) => log.includes("no_such_tool"),
    );
    assertNothingInner(house);
  });
});
