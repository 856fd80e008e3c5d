/** The calendar of this machine at a real hub: there and back through its seven tools, and over a restart. From the documents alone. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { ABILITIES, abilities, type OpenHub, openHub, untilListed } from "../support/seed-002.ts";

/** A date range of the caller's own is what is none of today, tomorrow, week and month. */
const CUSTOM = { date_type: "custom", start_date: "2031-05-01T00:00:00", end_date: "2031-05-02T00:00:00" };
const MINUTE = 60_000;

const folder = mkdtempSync(join(tmpdir(), "zaguan-calendar-"));
let house: OpenHub;
const open = async (): Promise<void> => {
  house = await openHub(abilities(ABILITIES.calendar), { folder });
  await untilListed(house.http, "self.calendar.create_event");
};
before(open);
after(async () => {
  await house?.hub.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => told("delete_events_batch", { delete_all: true }));

/** Failures too are JSON in a result that is no error. */
async function told(name: string, args: object = {}, by = house.http): Promise<Message> {
  return JSON.parse(await by.textOf("/mcp", `self.calendar.${name}`, args));
}

async function created(more: object = {}): Promise<Message> {
  const answer = await told("create_event", { title: "牙医", start_time: "2031-05-01T10:00:00", ...more });
  assert.equal(answer.success, true, JSON.stringify(answer));
  assert.match(answer.message, /\S/);
  assert.equal(typeof answer.event_id, "string");
  return answer;
}

async function titles(args: object = CUSTOM): Promise<string[]> {
  const { success, events } = await told("get_events", args);
  assert.equal(success, true);
  return events.map(({ title }: Message) => title).toSorted();
}

function minutes({ start_time, end_time }: Message): number {
  return (Date.parse(end_time) - Date.parse(start_time)) / MINUTE;
}

/** As a caller writes it: the time of this machine, without a zone. */
function localTime(fromNowMs: number): string {
  const time = new Date(Date.now() + fromNowMs);
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE).toISOString().slice(0, 19);
}

describe("an event", () => {
  it("is made, found, changed and deleted", async () => {
    const { event_id, event } = await created({ description: "带片子", category: "个人" });
    assert.deepEqual([event.title, event.description, event.category], ["牙医", "带片子", "个人"]);
    assert.match(event.start_time, /^2031-05-01T10:00/);
    assert.deepEqual(await titles(), ["牙医"]);
    const changed = await told("update_event", { event_id, title: "牙医复诊", start_time: "2031-05-01T11:30:00" });
    assert.equal(changed.success, true, JSON.stringify(changed));
    const [found] = (await told("get_events", CUSTOM)).events;
    assert.equal(found.title, "牙医复诊");
    assert.match(found.start_time, /^2031-05-01T11:30/);
    assert.equal(found.description, "带片子", "what was not given stays");
    assert.equal((await told("delete_event", { event_id })).success, true);
    assert.deepEqual(await titles(), []);
  });

  it("is as long as its category says, unless an end is given", async () => {
    const lengths = { 提醒: 5, 会议: 60, 工作: 60, 默认: 30, 个人: 30 };
    for (const [day, [category, expected]] of Object.entries(lengths).entries()) {
      const { event } = await created({ category, title: category, start_time: `2031-06-0${day + 1}T10:00:00` });
      assert.equal(minutes(event), expected, category);
    }
    const { event } = await created({ end_time: "2031-05-01T12:15:00" });
    assert.equal(minutes(event), 135);
  });

  it("reminds a quarter of an hour before, unless told otherwise", async () => {
    assert.equal((await created()).event.reminder_minutes, 15);
    assert.equal(
      (await created({ title: "b", start_time: "2031-05-03T10:00:00", reminder_minutes: 5 })).event.reminder_minutes,
      5,
    );
  });

  it("that lies ahead is among the coming ones, and one that lies further is not", async () => {
    await created({ title: "pronto", start_time: localTime(2 * 60 * MINUTE) });
    await created({ title: "tarde", start_time: localTime(30 * 60 * MINUTE) });
    const coming = async (args: object): Promise<string[]> =>
      (await told("get_upcoming_events", args)).events.map(({ title }: Message) => title);
    assert.deepEqual(await coming({}), ["pronto"]);
    assert.deepEqual(await coming({ hours: 1 }), []);
    assert.deepEqual((await coming({ hours: 48 })).toSorted(), ["pronto", "tarde"]);
  });

  it("is still there after a restart, under the same id", async () => {
    const { event_id } = await created();
    await house.hub.stop();
    await open();
    const [found] = (await told("get_events", CUSTOM)).events;
    assert.equal(found.id, event_id);
    assert.equal((await told("delete_event", { event_id })).success, true);
  });
});

describe("several events", () => {
  beforeEach(async () => {
    await created({ title: "a", category: "工作" });
    await created({ title: "b", category: "个人", start_time: "2031-05-01T15:00:00" });
    await created({ title: "c", category: "工作", start_time: "2031-05-03T09:00:00" });
  });

  it("are found by their dates and their category", async () => {
    assert.deepEqual(await titles(), ["a", "b"]);
    assert.deepEqual(await titles({ ...CUSTOM, category: "工作" }), ["a"]);
    assert.deepEqual(await titles({ ...CUSTOM, end_date: "2031-06-01T00:00:00" }), ["a", "b", "c"]);
    assert.deepEqual(await titles({ date_type: "today" }), []);
  });

  it("are deleted by their dates and their category", async () => {
    const all = { ...CUSTOM, end_date: "2031-06-01T00:00:00" };
    const { start_date, end_date } = all;
    assert.equal((await told("delete_events_batch", { start_date, end_date, category: "工作" })).success, true);
    assert.deepEqual(await titles(all), ["b"]);
    assert.equal((await told("delete_events_batch", { delete_all: true })).success, true);
    assert.deepEqual(await titles(all), []);
  });
});

describe("the categories", () => {
  it("are the five of the real one, and those that were used", async () => {
    const { success, categories } = await told("get_categories");
    assert.equal(success, true);
    for (const category of ["默认", "工作", "个人", "会议", "提醒"]) assert.ok(categories.includes(category), category);
  });
});

describe("what goes wrong", () => {
  it("is success: false with a reason, in a result that is no error", async () => {
    for (const [name, args] of [
      ["create_event", { title: "x", start_time: "mañana" }],
      ["create_event", { title: "x", start_time: "2031-05-01T10:00:00", end_time: "nunca" }],
      ["update_event", { event_id: "nobody", title: "x" }],
      ["delete_event", { event_id: "nobody" }],
    ] as const) {
      const { success, message } = await told(name, args);
      assert.equal(success, false, name);
      assert.match(message, /\S/, name);
    }
  });

  it("is told in the caller's language", async () => {
    const chinese = new RegistryClient(house.hub.url, { "accept-language": "zh" });
    assert.match((await told("delete_event", { event_id: "nobody" }, chinese)).message, /[\u4e00-\u9fff]/);
    assert.doesNotMatch((await told("delete_event", { event_id: "nobody" })).message, /[\u4e00-\u9fff]/);
  });
});
