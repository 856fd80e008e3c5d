/** The calendar's own seven tools, by the names and in the words of py-xiaozhi. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { type Bench, onBench } from "../../../test/support/ability-bench.ts";
import { LANGUAGES } from "../../messages/catalogue.ts";
import { memoryDocuments } from "../../store/memory-documents.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import type { DocumentTable } from "../../store/store.ts";
import { makeCalendar } from "./index.ts";

interface View {
  readonly id: string;
  readonly title: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly [member: string]: unknown;
}

interface Events {
  readonly success: boolean;
  readonly total_events: number;
  readonly events: readonly View[];
  readonly [member: string]: unknown;
}

interface Created {
  readonly success: boolean;
  readonly message: string;
  readonly event_id: string;
  readonly event: View;
}

/** A Wednesday, 15:45 in the house. */
const NOW = Date.parse("2026-07-01T13:45:12.345Z");
const MADRID = { timeZone: "Europe/Madrid" };

let bench: Bench;
let now: number;

beforeEach(async () => {
  now = NOW;
  bench = await open(memoryDocuments());
});

describe("the tools of the calendar", () => {
  it("have the names, properties and defaults of py-xiaozhi", () => {
    const schemas = bench.definitions.map(({ name, inputSchema }) => [name.replace("self.calendar.", ""), inputSchema]);
    const text = { type: "string" };
    const empty = { type: "string", default: "" };
    const minutes = { type: "integer", default: 15 };
    const object = (properties: object, ...required: string[]) => ({ type: "object", properties, required });
    assert.deepEqual(Object.fromEntries(schemas), {
      create_event: object(
        {
          title: text,
          start_time: text,
          end_time: empty,
          description: empty,
          category: { type: "string", default: "默认" },
          reminder_minutes: minutes,
        },
        "title",
        "start_time",
      ),
      get_events: object({
        date_type: { type: "string", default: "today" },
        category: empty,
        start_date: empty,
        end_date: empty,
      }),
      get_upcoming_events: object({ hours: { type: "integer", default: 24 } }),
      update_event: object(
        {
          event_id: text,
          title: empty,
          start_time: empty,
          end_time: empty,
          description: empty,
          category: empty,
          reminder_minutes: minutes,
        },
        "event_id",
      ),
      delete_event: object({ event_id: text }, "event_id"),
      delete_events_batch: object({
        start_date: empty,
        end_date: empty,
        category: empty,
        date_type: empty,
        delete_all: { type: "boolean", default: false },
      }),
      get_categories: object({}),
      export_ics: object({}),
      import_ics: object({ ics: text }, "ics"),
    });
  });

  it("are described in four languages, and marked where they only look", () => {
    for (const tool of bench.open.tools) {
      const texts = LANGUAGES.map((language) => (language === "en" ? tool.description : tool.descriptions?.[language]));
      assert.equal(new Set(texts).size, 4, tool.name);
      assert.equal(tool.readOnly ?? false, /get_|export/.test(tool.name), tool.name);
    }
  });
});

describe("creating an event", () => {
  it("answers as py-xiaozhi does, members and their order included", async () => {
    const answer = await create({ title: "牙医", start_time: "2026-07-02T10:00:00", description: "带医保卡" });
    assert.deepEqual(Object.entries(answer), [
      ["success", true],
      ["message", "日程创建成功"],
      ["event_id", answer.event_id],
      ["event", answer.event],
    ]);
    assert.deepEqual(Object.entries(answer.event), [
      ["id", answer.event_id],
      ["title", "牙医"],
      ["start_time", "2026-07-02T10:00:00"],
      ["end_time", "2026-07-02T10:30:00"],
      ["description", "带医保卡"],
      ["category", "默认"],
      ["reminder_minutes", 15],
      ["reminder_time", "2026-07-02T09:45:00"],
      ["reminder_sent", false],
      ["created_at", "2026-07-01T15:45:12.345"],
      ["updated_at", "2026-07-01T15:45:12.345"],
    ]);
  });

  const lengths: readonly (readonly [string, string, string])[] = [
    ["提醒", "喝水", "10:05"],
    ["休息", "x", "10:05"],
    ["站立", "x", "10:05"],
    ["会议", "站立会议", "11:00"],
    ["工作", "x", "11:00"],
    ["个人", "提醒妈妈", "10:05"],
    ["默认", "看书", "10:30"],
    ["Meeting", "x", "11:00"],
    ["", "x", "10:30"],
  ];
  for (const [category, title, end] of lengths) {
    it(`lasts until ${end} where nobody says, in '${category}' as '${title}'`, async () => {
      const { event } = await create({ title, category, start_time: "2026-07-02 10:00" });
      assert.equal(event.end_time, `2026-07-02T${end}:00`);
    });
  }

  it("takes times with a zone, and shows them in the house's", async () => {
    const { event } = await create({ start_time: "2026-07-02T10:00:00Z", end_time: "2026-07-02T19:30:00+08:00" });
    assert.deepEqual([event.start_time, event.end_time], ["2026-07-02T12:00:00", "2026-07-02T13:30:00"]);
  });

  it("refuses what overlaps another event, and names it", async () => {
    await create({ title: "A", start_time: "2026-07-02T10:00:00", end_time: "2026-07-02T11:00:00" });
    for (const [start_time, end_time] of [
      ["2026-07-02T10:30:00", "2026-07-02T10:40:00"],
      ["2026-07-02T09:30:00", "2026-07-02T10:01:00"],
      ["2026-07-02T08:59:00Z", "2026-07-02T12:00:00Z"],
      ["2026-07-02T09:00:00", "2026-07-02T12:00:00"],
    ]) {
      const answer = await bench.call("self.calendar.create_event", { title: "B", start_time, end_time });
      assert.deepEqual(answer, { success: false, message: "日程创建失败，可能存在时间冲突", conflicts: ["A"] });
    }
    assert.equal((await create({ start_time: "2026-07-02T11:00:00" })).success, true);
    assert.equal((await create({ start_time: "2026-07-02T09:30:00" })).success, true);
  });

  it("puts one event into an hour, however many come for it at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ start_time: "2026-07-02T10:00:00" })));
    assert.equal(answers.filter(({ success }) => success).length, 1);
  });

  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ start_time: "明天" }, /^创建日程失败: 无效的时间 '明天'，.*2024-01-01T10:00:00$/],
    [{ start_time: "2026-07-02T10:00:00", end_time: "later" }, /^创建日程失败: 无效的时间 'later'/],
    [{ start_time: "2026-07-02T10:00:00", end_time: "2026-07-02T09:00:00" }, /^创建日程失败: 结束时间早于开始时间$/],
    [{ title: " " }, /标题不能为空/],
    [{ title: "x".repeat(501) }, /title 最多 500 个字符/],
    [{ description: "x".repeat(10_001) }, /description 最多 10000/],
    [{ reminder_minutes: 1_000_000 }, /reminder_minutes/],
  ];
  for (const [args, message] of wrong) {
    it(`says what is wrong with ${JSON.stringify(args).slice(0, 60)}`, async () => {
      const answer = await create(args);
      assert.deepEqual([answer.success, Object.keys(answer)], [false, ["success", "message"]]);
      assert.match(answer.message, message);
    });
  }

  it("speaks the caller's language", async () => {
    const said = await Promise.all(
      LANGUAGES.map(async (language) => {
        const args = { title: "x", start_time: "soon" };
        return (await bench.call<Created>("self.calendar.create_event", args, language)).message;
      }),
    );
    assert.equal(new Set(said.map((text) => text.split(":")[0])).size, 4);
    assert.match(said[0] ?? "", /^The event could not be created: 'soon' is no ISO 8601 time/);
  });

  it("tells a broken store from a wrong wish, and keeps the reason for the log", async () => {
    const documents = {
      ...memoryDocuments(),
      update: async () => Promise.reject(new Error("disk I/O error at /secret")),
    };
    const broken = await open(documents);
    const answer = await broken.call("self.calendar.create_event", { title: "x", start_time: "2026-07-02T10:00:00" });
    assert.deepEqual(answer, { success: false, message: "创建日程失败: 无法访问日历数据，原因见日志" });
    assert.match(broken.logged.join(), /disk I\/O error/);
  });
});

describe("asking for events", () => {
  beforeEach(async () => {
    for (const [title, start_time, category] of [
      ["last night", "2026-06-30T23:50:00", "个人"],
      ["tonight", "2026-07-01T21:00:00", "个人"],
      ["midnight", "2026-07-02T00:00:00", "工作"],
      ["sunday", "2026-07-05T10:00:00", "工作"],
      ["monday", "2026-07-06T10:00:00", "工作"],
      ["end of month", "2026-07-31T23:00:00", "个人"],
      ["august", "2026-08-01T10:00:00", "个人"],
    ]) {
      await create({ title, start_time, category });
    }
  });

  const asked: readonly (readonly [object, string])[] = [
    // What began yesterday and is not over is part of today.
    [{}, "last night, tonight"],
    [{ date_type: "今天" }, "last night, tonight"],
    [{ date_type: "tomorrow" }, "midnight"],
    [{ date_type: "week" }, "last night, tonight, midnight, sunday"],
    [{ date_type: "month" }, "last night, tonight, midnight, sunday, monday, end of month"],
    [{ date_type: "week", category: "工作" }, "midnight, sunday"],
    [{ date_type: "custom", start_date: "2026-07-31", end_date: "2026-08-01" }, "end of month, august"],
    [{ start_date: "2026-07-05", end_date: "2026-07-05" }, "sunday"],
    [{ date_type: "custom", end_date: "2026-07-05T10:00:00" }, "last night, tonight, midnight, sunday"],
    [{ start_date: "2026-07-06T08:00:00Z" }, "monday, end of month, august"],
    [{ date_type: "custom" }, "last night, tonight, midnight, sunday, monday, end of month, august"],
    [{ date_type: "month", category: "没有" }, ""],
  ];
  for (const [args, titles] of asked) {
    it(`${JSON.stringify(args)} → ${titles || "nothing"}`, async () => {
      const answer = await bench.call<Events>("self.calendar.get_events", { ...args });
      assert.equal(answer.events.map(({ title }) => title).join(", "), titles);
      assert.equal(answer.total_events, answer.events.length);
    });
  }

  it("answers as py-xiaozhi does", async () => {
    const answer = await bench.call<Events>("self.calendar.get_events", { date_type: "tomorrow" });
    assert.deepEqual(Object.keys(answer), ["success", "date_type", "total_events", "events"]);
    assert.deepEqual([answer.success, answer["date_type"]], [true, "tomorrow"]);
    assert.equal(answer.events[0]?.["display_time"], "07/02 00:00 - 01:00");
  });

  it("says what is to come, and how soon", async () => {
    const answer = await bench.call<Events>("self.calendar.get_upcoming_events", {});
    assert.deepEqual(Object.keys(answer), ["success", "query_hours", "total_events", "events"]);
    assert.deepEqual(
      answer.events.map((event) => [event.title, event["time_until"], event["time_until_minutes"]]),
      [
        ["tonight", "5小时14分钟后", 314],
        ["midnight", "8小时14分钟后", 494],
      ],
    );
    now = Date.parse("2026-07-01T18:30:30Z");
    const soon = await bench.call<Events>("self.calendar.get_upcoming_events", { hours: 1 });
    assert.deepEqual(
      soon.events.map((event) => event["time_until"]),
      ["29分钟后"],
    );
    assert.equal((await bench.call<Events>("self.calendar.get_upcoming_events", { hours: -5 })).total_events, 0);
  });

  it("lists the categories, those in use among them", async () => {
    assert.deepEqual(await bench.call("self.calendar.get_categories"), {
      success: true,
      categories: ["个人", "会议", "工作", "提醒", "默认"],
    });
    await create({ category: "Sport", start_time: "2026-07-20T10:00:00" });
    const { categories } = await bench.call<{ categories: string[] }>("self.calendar.get_categories");
    assert.equal(categories[0], "Sport");
  });

  it("shows a thousand and counts the rest", async () => {
    const many = Array.from(
      { length: 1_200 },
      (_, index) => `BEGIN:VEVENT\nUID:${index}\nDTSTART:20270101T100000\nEND:VEVENT\n`,
    );
    await bench.call("self.calendar.import_ics", { ics: `BEGIN:VCALENDAR\n${many.join("")}END:VCALENDAR` });
    const answer = await bench.call<Events>("self.calendar.get_events", { start_date: "2027-01-01" });
    assert.deepEqual([answer.total_events, answer.events.length, answer["more_events"]], [1_000, 1_000, 200]);
  });

  it("refuses a date that is none", async () => {
    const answer = await bench.call("self.calendar.get_events", { start_date: "32 July" });
    assert.match(String(answer["message"]), /^查询日程失败: 无效的时间 '32 July'/);
  });
});

describe("changing an event", () => {
  let id: string;
  beforeEach(async () => {
    const args = { title: "A", description: "d", start_time: "2026-07-02T10:00:00", end_time: "2026-07-02T10:45:00" };
    id = (await create({ ...args, reminder_minutes: 60 })).event_id;
  });

  it("changes what is given and leaves the rest", async () => {
    now += 60_000;
    const answer = await update({ title: "B" });
    assert.deepEqual(answer, { success: true, message: "日程更新成功", updated_fields: ["title"] });
    const event = await theEvent();
    assert.deepEqual(
      [event.title, event["description"], event["reminder_minutes"], event["updated_at"], event["created_at"]],
      ["B", "d", 60, "2026-07-01T15:46:12.345", "2026-07-01T15:45:12.345"],
    );
  });

  it("moves an event that gets a new start, as long as it was", async () => {
    assert.deepEqual((await update({ start_time: "2026-07-03T18:00:00" }))["updated_fields"], [
      "start_time",
      "end_time",
    ]);
    const event = await theEvent();
    assert.deepEqual(
      [event.start_time, event.end_time, event["reminder_time"]],
      ["2026-07-03T18:00:00", "2026-07-03T18:45:00", "2026-07-03T17:00:00"],
    );
  });

  it("changes the end alone, and both, with a zone or without", async () => {
    await update({ end_time: "2026-07-02T12:00:00" });
    assert.equal((await theEvent()).end_time, "2026-07-02T12:00:00");
    await update({ start_time: "2026-07-02T06:00:00Z", end_time: "2026-07-02T07:00:00Z" });
    assert.deepEqual(
      [(await theEvent()).start_time, (await theEvent()).end_time],
      ["2026-07-02T08:00:00", "2026-07-02T09:00:00"],
    );
    await update({ end_time: "2026-07-02T10:00:00" });
    assert.deepEqual(
      [(await theEvent()).start_time, (await theEvent()).end_time],
      ["2026-07-02T08:00:00", "2026-07-02T10:00:00"],
    );
    await update({ start_time: "2026-07-02T20:00:00", category: "工作" });
    assert.deepEqual(
      [(await theEvent()).start_time, (await theEvent()).end_time],
      ["2026-07-02T20:00:00", "2026-07-02T22:00:00"],
    );
  });

  it("changes the reminder, to its default too if nothing else is asked", async () => {
    assert.deepEqual((await update({ reminder_minutes: 5 }))["updated_fields"], ["reminder_minutes"]);
    assert.deepEqual((await update({ title: "C", reminder_minutes: 30 }))["updated_fields"], [
      "title",
      "reminder_minutes",
    ]);
    assert.deepEqual((await update({ reminder_minutes: 15 }))["updated_fields"], ["reminder_minutes"]);
  });

  it("says so where there is nothing to change, or nothing that could be", async () => {
    await update({ reminder_minutes: 15 });
    assert.deepEqual(await update({}), { success: false, message: "没有提供要更新的字段" });
    const unknown = await bench.call("self.calendar.update_event", { event_id: "nobody", title: "x" });
    assert.deepEqual(unknown, { success: false, message: "日程更新失败，事件不存在" });
    assert.deepEqual(await update({ end_time: "2026-07-02T09:00:00" }), {
      success: false,
      message: "更新日程失败: 结束时间早于开始时间",
    });
  });

  const update = (args: object) => bench.call("self.calendar.update_event", { event_id: id, ...args });
  const theEvent = async (): Promise<View> => {
    const { events } = await bench.call<Events>("self.calendar.get_events", { date_type: "custom" });
    assert.ok(events[0]);
    return events[0];
  };
});

describe("deleting events", () => {
  const all = async () => {
    const { events } = await bench.call<Events>("self.calendar.get_events", { date_type: "custom" });
    return events.map(({ title }) => title).join("");
  };
  const batch = (args: object) => bench.call("self.calendar.delete_events_batch", { ...args });

  beforeEach(async () => {
    await create({ title: "A", start_time: "2026-07-01T20:00:00", category: "工作" });
    await create({ title: "B", start_time: "2026-07-02T10:00:00", category: "个人" });
    await create({ title: "C", start_time: "2026-07-03T10:00:00", category: "工作" });
  });

  it("takes one away by its id, once", async () => {
    const { event_id } = await create({ title: "D", start_time: "2026-07-09T10:00:00" });
    assert.deepEqual(await bench.call("self.calendar.delete_event", { event_id }), {
      success: true,
      message: "日程删除成功",
    });
    assert.deepEqual(await bench.call("self.calendar.delete_event", { event_id }), {
      success: false,
      message: "日程删除失败，事件不存在",
    });
    assert.equal(await all(), "ABC");
  });

  const batches: readonly (readonly [object, string, string])[] = [
    [{ date_type: "today" }, "A", "BC"],
    [{ date_type: "tomorrow" }, "B", "AC"],
    [{ date_type: "week", category: "工作" }, "AC", "B"],
    [{ category: "个人" }, "B", "AC"],
    [{ start_date: "2026-07-02", end_date: "2026-07-03" }, "BC", "A"],
    [{ end_date: "2026-07-02T10:00:00" }, "AB", "C"],
    [{ start_date: "2026-07-02T10:00:01" }, "C", "AB"],
    // Both dates win over the word, one alone does not: as py-xiaozhi has it.
    [{ date_type: "today", start_date: "2026-07-02", end_date: "2026-07-02" }, "B", "AC"],
    [{ date_type: "today", end_date: "2026-07-03" }, "A", "BC"],
  ];
  for (const [args, gone, left] of batches) {
    it(`${JSON.stringify(args)} takes ${gone} away`, async () => {
      assert.deepEqual(await batch(args), {
        success: true,
        deleted_count: gone.length,
        deleted_titles: [...gone],
        message: `成功删除 ${gone.length} 个事件`,
      });
      assert.equal(await all(), left);
    });
  }

  it("takes everything away where that is said", async () => {
    assert.deepEqual(await batch({ delete_all: true }), {
      success: true,
      deleted_count: 3,
      message: "成功删除所有 3 个事件",
    });
    assert.deepEqual(await batch({ delete_all: true }), {
      success: true,
      deleted_count: 0,
      message: "没有事件需要删除",
    });
  });

  it("says that nothing fits", async () => {
    assert.deepEqual(await batch({ category: "会议" }), {
      success: true,
      deleted_count: 0,
      message: "没有符合条件的事件需要删除",
    });
  });

  it("never takes no condition, or a word that it does not know, for everything", async () => {
    for (const args of [{}, { date_type: "yesterday" }, { date_type: "yesterday", category: "工作" }]) {
      const answer = await batch(args);
      assert.deepEqual([answer["success"], await all()], [false, "ABC"]);
      assert.match(String(answer["message"]), /^批量删除日程失败: 没有提供删除条件/);
    }
  });
});

describe("what is kept", () => {
  it("survives a restart, and two who write at once both find their events", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-calendar-"));
    try {
      const [one, other] = [await openSqliteStore(join(folder, "a.db")), await openSqliteStore(join(folder, "a.db"))];
      const benches = [await open(one.documents), await open(other.documents)];
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => {
          const start_time = new Date(Date.UTC(2026, 7, 1, index)).toISOString().slice(0, 19);
          return benches[index % 2]?.call("self.calendar.create_event", { title: `${index}`, start_time });
        }),
      );
      await Promise.all([one.close(), other.close()]);
      const again = await openSqliteStore(join(folder, "a.db"));
      const { total_events } = await (await open(again.documents)).call<Events>("self.calendar.get_events", {
        date_type: "all",
      });
      assert.equal(total_events, 30);
      await again.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is not more than can be read in an instant", async () => {
    const events = Array.from({ length: 10_000 }, (_, index) => {
      return {
        id: `${index}`,
        title: "x",
        start: "2026-01-01",
        end: "2026-01-02",
        description: "",
        category: "x",
        reminder: null,
      };
    });
    const documents = memoryDocuments();
    await documents.put("ability:calendar", "events", { events });
    const full = await open(documents);
    const answer = await full.call("self.calendar.create_event", { title: "x", start_time: "2026-07-02T10:00:00" });
    assert.match(String(answer["message"]), /^创建日程失败: 日历已满（10000 个事件）/);
    assert.equal((await full.call("self.calendar.delete_event", { event_id: "1" }))["success"], true);
  });

  it("is in the machine's zone where none is set, and where the one that is set is none", async () => {
    const odd = await onBench(
      makeCalendar(() => now),
      { timeZone: "Mars/Olympus" },
    );
    assert.match(odd.logged.join(), /Mars\/Olympus/);
    const plain = await onBench(
      makeCalendar(() => now),
      {},
    );
    const { event } = await plain.call<Created>("self.calendar.create_event", {
      title: "x",
      start_time: "2026-07-02T10:00:00",
    });
    assert.equal(event.start_time, "2026-07-02T10:00:00");
  });
});

function open(documents: DocumentTable): Promise<Bench> {
  return onBench(
    makeCalendar(() => now),
    MADRID,
    { documents },
  );
}

function create(args: object): Promise<Created> {
  return bench.call<Created>("self.calendar.create_event", { title: "x", start_time: "2026-07-02T10:00:00", ...args });
}
