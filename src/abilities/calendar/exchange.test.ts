/**
 * The calendar and other calendars. Every claim about what we write is read by ical.js, the reader of Thunderbird, and every
 * file that we read in the first part was written by it; nothing of ours is on the other side.
 */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import ICAL from "ical.js";
import { type Bench, onBench } from "../../../test/support/ability-bench.ts";
import { say } from "../../messages/catalogue.ts";
import { makeCalendar } from "./index.ts";

interface View {
  readonly id: string;
  readonly title: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly [member: string]: unknown;
}

interface Imported {
  readonly success: boolean;
  readonly message: string;
  readonly created: number;
  readonly updated: number;
  readonly cancelled: number;
  readonly skipped: number;
  readonly warnings?: readonly string[];
  readonly skipped_events?: readonly { readonly title: string; readonly reason: string }[];
}

const NOW = Date.parse("2026-07-01T13:45:12Z");
const LONG = 'Ünïcödé 日程安排 🗓️, with; all\\the "marks"\nand a second line. '.repeat(20);

let bench: Bench;

beforeEach(async () => {
  bench = await fresh();
});

describe("what we export, read by ical.js", () => {
  it("has every event at its instant, with its texts", async () => {
    await create({ title: LONG.slice(0, 300), description: LONG, start_time: "2026-07-02T10:00:00", category: "会议" });
    await create({ title: "in winter", start_time: "2026-12-02T10:00:00", reminder_minutes: 0 });
    await create({
      title: "elsewhere",
      start_time: "2026-07-02T10:00:00-07:00",
      end_time: "2026-07-02T11:00:00-07:00",
    });
    const events = theirEvents(await exported());
    assert.deepEqual(
      events.map(({ startDate, endDate }) => [utcOf(startDate), utcOf(endDate)]),
      [
        ["2026-07-02T08:00:00.000Z", "2026-07-02T09:00:00.000Z"],
        ["2026-12-02T09:00:00.000Z", "2026-12-02T09:30:00.000Z"],
        ["2026-07-02T17:00:00.000Z", "2026-07-02T18:00:00.000Z"],
      ],
    );
    assert.deepEqual([events[0]?.summary, events[0]?.description], [LONG.slice(0, 300), LONG]);
    assert.deepEqual(
      events.map(({ component }) => component.getFirstPropertyValue("categories")),
      ["会议", null, null],
    );
    const triggers = events.map(({ component }) =>
      component.getFirstSubcomponent("valarm")?.getFirstPropertyValue("trigger"),
    );
    assert.deepEqual(
      triggers.map((each) => String(each)),
      ["-PT15M", "PT0S", "-PT15M"],
    );
  });

  it("has lines of at most 75 octets, each with its line end, and no character cut in two", async () => {
    await create({ title: "长".repeat(400), description: LONG, start_time: "2026-07-02T10:00:00" });
    const text = await exported();
    for (const line of text.split("\r\n")) assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.equal(/[^\r]\n/.test(text), false);
    assert.equal(text.includes("\uFFFD"), false);
    assert.equal(theirEvents(text)[0]?.summary, "长".repeat(400));
  });

  it("has the series of other zones on the days and at the hours that ical.js finds", async () => {
    await imports(
      event(
        "UID:s",
        "DTSTART;TZID=America/New_York:20260301T090000",
        "DURATION:PT1H",
        "RRULE:FREQ=WEEKLY;BYDAY=SU;COUNT=40",
      ),
    );
    const [series] = theirEvents(await exported());
    assert.ok(series);
    const iterator = series.iterator();
    const theirs = Array.from({ length: 40 }, () => utcOf(iterator.next() as ICAL.Time));
    const ours = (await shown({ start_date: "2026-01-01", end_date: "2027-12-31" })).map(
      ({ start_time }) => start_time,
    );
    // In the house it is six hours later, and five in the weeks in which only New York has put its clock forward.
    assert.deepEqual(
      [ours[0], ours[1], ours[5]],
      ["2026-03-01T15:00:00", "2026-03-08T14:00:00", "2026-04-05T15:00:00"],
    );
    assert.deepEqual(
      theirs.map((each) => inMadrid(each)),
      ours,
    );
  });

  it("tells other clocks from when on they go differently, to the minute", async () => {
    const times = ["2026-03-29T01:59", "2026-03-29T03:00", "2026-10-25T01:59", "2026-10-25T03:00"];
    for (const start_time of times) await create({ start_time, end_time: start_time });
    const text = await exported();
    assert.deepEqual(
      theirEvents(text).map(({ startDate }) => utcOf(startDate)?.slice(5, 16)),
      ["03-29T00:59", "03-29T01:00", "10-24T23:59", "10-25T02:00"],
    );
    // A change is told by the clock that nobody has touched yet (RFC 5545 §3.6.5).
    assert.ok(text.includes("DTSTART:20260329T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n"), text);
    assert.ok(text.includes("DTSTART:20261025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\n"), text);
  });

  it("is the same after ical.js has read and written it, and after a second export", async () => {
    await imports(await everyKind());
    const before = await shown({ start_date: "2026-01-01", end_date: "2027-01-01" });
    const text = await exported();
    assert.ok(before.length > 20);
    for (const ics of [text, new ICAL.Component(ICAL.parse(text)).toString()]) {
      const other = await fresh();
      const answer = await other.call<Imported>("self.calendar.import_ics", { ics });
      assert.deepEqual([answer.created, answer.skipped, answer.warnings], [6, 0, undefined]);
      assert.deepEqual(await shown({ start_date: "2026-01-01", end_date: "2027-01-01" }, other), before);
      assert.deepEqual(sorted(await exported(other)), sorted(text));
    }
  });

  it("changes nothing when it is read into the calendar that it came from", async () => {
    await imports(await everyKind());
    const before = await shown({ date_type: "custom" });
    const answer = await bench.call<Imported>("self.calendar.import_ics", { ics: await exported() });
    assert.deepEqual([answer.created, answer.updated, answer.cancelled, answer.skipped], [0, 6, 0, 0]);
    assert.deepEqual(await shown({ date_type: "custom" }), before);
  });
});

describe("what ical.js writes, read by us", () => {
  it("keeps its UID, its instants and its texts", async () => {
    const theirs = new ICAL.Event(new ICAL.Component("vevent"));
    theirs.uid = "theirs@example";
    theirs.summary = LONG.slice(0, 200);
    theirs.description = LONG;
    theirs.location = "Calle Mayor; 1, 2º";
    theirs.startDate = ICAL.Time.fromString("2026-07-02T08:00:00Z", undefined);
    theirs.endDate = ICAL.Time.fromString("2026-07-02T09:30:00Z", undefined);
    const calendar = new ICAL.Component("vcalendar");
    calendar.addSubcomponent(theirs.component);
    await bench.call("self.calendar.import_ics", { ics: calendar.toString() });
    const [view] = await shown({ date_type: "custom" });
    assert.deepEqual(
      [view?.id, view?.title, view?.["description"], view?.["location"], view?.start_time, view?.end_time],
      ["theirs@example", LONG.slice(0, 200), LONG, "Calle Mayor; 1, 2º", "2026-07-02T10:00:00", "2026-07-02T11:30:00"],
    );
    assert.deepEqual([view?.["reminder_minutes"], view?.["reminder_time"]], [null, null]);
  });
});

describe("an imported file", () => {
  const times: readonly (readonly [string, readonly string[], string])[] = [
    [
      "a time of no place",
      ["DTSTART:20260702T100000", "DTEND:20260702T110000"],
      "2026-07-02T10:00:00 2026-07-02T11:00:00",
    ],
    ["UTC", ["DTSTART:20260702T100000Z", "DURATION:PT1H30M"], "2026-07-02T12:00:00 2026-07-02T13:30:00"],
    ["a zone", ["DTSTART;TZID=Asia/Tokyo:20260702T180000", "DURATION:P1D"], "2026-07-02T11:00:00 2026-07-03T11:00:00"],
    [
      "two zones",
      ["DTSTART;TZID=Europe/London:20260702T100000", "DTEND;TZID=Europe/Paris:20260702T120000"],
      "2026-07-02T11:00:00 2026-07-02T12:00:00",
    ],
    ["Windows's name", ["DTSTART;TZID=Tokyo Standard Time:20260702T180000"], "2026-07-02T11:00:00 2026-07-02T11:00:00"],
    [
      "Mozilla's name",
      ["DTSTART;TZID=/mozilla.org/20070129_1/Asia/Tokyo:20260702T180000"],
      "2026-07-02T11:00:00 2026-07-02T11:00:00",
    ],
    [
      "a quoted name",
      ['DTSTART;X-A="b;c:d";TZID="Asia/Tokyo":20260702T180000'],
      "2026-07-02T11:00:00 2026-07-02T11:00:00",
    ],
    ["a day", ["DTSTART;VALUE=DATE:20260702"], "2026-07-02T00:00:00 2026-07-03T00:00:00"],
    [
      "some days",
      ["DTSTART;VALUE=DATE:20260702", "DTEND;VALUE=DATE:20260705"],
      "2026-07-02T00:00:00 2026-07-05T00:00:00",
    ],
    [
      "days by their number",
      ["DTSTART;VALUE=DATE:20260702", "DURATION:P2W"],
      "2026-07-02T00:00:00 2026-07-16T00:00:00",
    ],
    [
      "an end before its start",
      ["DTSTART:20260702T100000", "DTEND:20260701T100000"],
      "2026-07-02T10:00:00 2026-07-02T10:00:00",
    ],
  ];
  for (const [what, lines, expected] of times) {
    it(`may have ${what}`, async () => {
      const answer = await imports(event("UID:t", ...lines));
      const [view] = await shown({ date_type: "custom" });
      assert.equal(answer.warnings, undefined);
      assert.equal(`${view?.start_time} ${view?.end_time}`, expected);
    });
  }

  it("may say itself what its zone is, if that never changes", async () => {
    const zone = ["BEGIN:VTIMEZONE", "TZID:Custom", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0530"];
    await imports([
      ...zone,
      "TZOFFSETTO:+0530",
      "END:STANDARD",
      "END:VTIMEZONE",
      ...event("UID:t", "DTSTART;TZID=Custom:20260702T103000"),
    ]);
    assert.equal((await shown({ date_type: "custom" }))[0]?.start_time, "2026-07-02T07:00:00");
    assert.equal(utcOf(theirEvents(await exported())[0]?.startDate), "2026-07-02T05:00:00.000Z");
  });

  it("with a zone that nobody knows is taken for local, and that is said", async () => {
    const answer = await imports(event("UID:t", "SUMMARY:Odd", "DTSTART;TZID=Mars:20260702T100000"));
    assert.equal((await shown({ date_type: "custom" }))[0]?.start_time, "2026-07-02T10:00:00");
    assert.deepEqual(answer.warnings, ["'Odd'：未知时区 'Mars'，按本地时间处理"]);
  });

  it("shows whole days as such, today among them", async () => {
    await imports(event("UID:v", "SUMMARY:Vacation", "DTSTART;VALUE=DATE:20260628", "DTEND;VALUE=DATE:20260705"));
    const [view] = await shown({ date_type: "today" });
    assert.deepEqual([view?.["all_day"], view?.["display_time"]], [true, "06/28 - 07/04 全天"]);
    // It is in nobody's way.
    assert.equal((await create({ start_time: "2026-07-02T10:00:00" }))["success"], true);
  });

  const alarms: readonly (readonly [string, number | null])[] = [
    ["TRIGGER:-PT30M", 30],
    ["TRIGGER:-P1DT1H", 1_500],
    ["TRIGGER:PT5M", -5],
    ["TRIGGER;RELATED=END:-PT90M", 30],
    ["TRIGGER;VALUE=DATE-TIME:20260702T073000Z", 30],
    ["TRIGGER:nonsense", null],
  ];
  for (const [trigger, minutes] of alarms) {
    it(`reminds with ${trigger}`, async () => {
      await imports(
        event("UID:a", "DTSTART:20260702T100000", "DTEND:20260702T110000", "BEGIN:VALARM", trigger, "END:VALARM"),
      );
      assert.equal((await shown({ date_type: "custom" }))[0]?.["reminder_minutes"], minutes);
    });
  }

  it("keeps what means nothing to us, for whoever reads the export", async () => {
    const lines = [
      'ATTENDEE;CN="Ana; García":mailto:ana@example.org',
      "X-COLOUR:blue",
      "TRANSP:TRANSPARENT",
      "CATEGORIES:A,B\\,C",
    ];
    await imports(event("UID:k", "DTSTART:20260702T100000", ...lines));
    const text = (await exported()).replaceAll("\r\n ", "");
    for (const line of lines.slice(0, 3)) assert.ok(text.includes(`${line}\r\n`), line);
    const values = theirEvents(text)[0]
      ?.component.getAllProperties("categories")
      .flatMap((each) => each.getValues());
    assert.deepEqual(values, ["A", "B,C"]);
  });

  it("without UIDs can be read twice", async () => {
    const ics = event("SUMMARY:Same", "DTSTART:20260702T100000");
    await imports(ics);
    assert.equal((await imports(ics)).updated, 1);
    assert.equal((await shown({ date_type: "custom" })).length, 1);
  });

  it("brings up to date what it knows better, and not what was changed here", async () => {
    const version = (sequence: number, title: string) =>
      imports(event("UID:v", `SEQUENCE:${sequence}`, `SUMMARY:${title}`, "DTSTART:20260702T100000"));
    await version(3, "third");
    assert.equal((await version(3, "again")).updated, 1);
    const old = await version(2, "second");
    assert.deepEqual(old.skipped_events, [{ title: "second", reason: "日历中已有更新的版本" }]);
    await bench.call("self.calendar.update_event", { event_id: "v", title: "mine" });
    assert.equal((await version(3, "again")).skipped, 1);
    assert.equal((await shown({ date_type: "custom" }))[0]?.title, "mine");
    assert.equal((await version(5, "fifth")).updated, 1);
  });

  it("can cancel an event", async () => {
    const cancelled = event("UID:c", "DTSTART:20260702T100000", "STATUS:CANCELLED");
    assert.deepEqual((await imports(cancelled)).skipped_events, [{ title: "（无标题）", reason: "已取消" }]);
    await imports(event("UID:c", "DTSTART:20260702T100000"));
    assert.equal((await imports(cancelled)).cancelled, 1);
    assert.deepEqual(await shown({ date_type: "custom" }), []);
  });

  it("says what it left out", async () => {
    const answer = await imports(["BEGIN:VTODO", "UID:t", "END:VTODO", ...event("UID:n", "SUMMARY:No start")]);
    assert.equal(answer.message, "新增 0 个事件，更新 0 个，取消 0 个，跳过 1 个");
    assert.deepEqual(answer.skipped_events, [{ title: "No start", reason: "没有可识别的开始时间" }]);
    assert.match(answer.warnings?.join() ?? "", /跳过 1 个非事件条目/);
  });
});

describe("a repeated event", () => {
  const standup = event(
    "UID:s",
    "SUMMARY:Standup",
    "CATEGORIES:工作",
    "DTSTART;TZID=Europe/Madrid:20260629T090000",
    "DURATION:PT15M",
    "RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR",
    "EXDATE;TZID=Europe/Madrid:20260702T090000",
    "RDATE:20260704T070000Z",
  );
  const days = async (args: object) => (await shown(args)).map(({ start_time }) => start_time.slice(5, 16)).join(" ");

  it("is shown on each of its days, without those that are left out", async () => {
    await imports(standup);
    assert.equal(await days({ date_type: "week" }), "06-29T09:00 06-30T09:00 07-01T09:00 07-03T09:00 07-04T09:00");
    const [first] = await shown({ date_type: "week" });
    assert.deepEqual([first?.["recurring"], first?.["recurrence"]], [true, "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR"]);
    const { events } = await bench.call<{ events: View[] }>("self.calendar.get_upcoming_events", { hours: 48 });
    assert.deepEqual(
      events.map((each) => each.start_time),
      ["2026-07-03T09:00:00"],
    );
  });

  it("ends when its rule says, in the middle of a week too", async () => {
    await imports(event("UID:c", "DTSTART:20260629T090000", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=2"));
    await imports(event("UID:u", "DTSTART:20260629T100000", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;UNTIL=20260701T080000Z"));
    assert.equal(await days({ date_type: "month" }), "07-01T09:00 07-01T10:00");
    assert.equal(await days({ start_date: "2026-06-29", end_date: "2026-06-30" }), "06-29T09:00 06-29T10:00");
  });

  it("is in the way of another at its hours alone", async () => {
    await imports(standup);
    assert.equal((await create({ start_time: "2026-07-20T09:10:00" }))["success"], false);
    assert.equal((await create({ start_time: "2026-07-20T09:15:00" }))["success"], true);
    assert.equal((await create({ start_time: "2026-07-19T09:10:00" }))["success"], true);
  });

  it("without an end is followed for a year where no end was asked for", async () => {
    await imports(standup);
    const all = await shown({ date_type: "custom" });
    assert.equal(all.at(-1)?.start_time, "2027-07-02T09:00:00");
  });

  it("loses single days to a batch, and all of them to its id", async () => {
    await imports(standup);
    const answer = await bench.call("self.calendar.delete_events_batch", { date_type: "today" });
    assert.deepEqual([answer["deleted_count"], answer["deleted_titles"]], [1, ["Standup"]]);
    assert.equal(await days({ date_type: "week" }), "06-29T09:00 06-30T09:00 07-03T09:00 07-04T09:00");
    const [theirs] = theirEvents(await exported());
    const left = theirs?.component.getAllProperties("exdate").map((each) => String(each.getFirstValue()));
    assert.deepEqual(left, ["2026-07-02T09:00:00", "2026-07-01T09:00:00"]);
    await bench.call("self.calendar.delete_event", { event_id: "s" });
    assert.equal(await days({ date_type: "week" }), "");
  });

  it("is taken away as a whole where all of it lies in that time", async () => {
    await imports(event("UID:f", "DTSTART:20260706T090000", "RRULE:FREQ=DAILY;COUNT=3"));
    const answer = await bench.call("self.calendar.delete_events_batch", {
      start_date: "2026-07-06",
      end_date: "2026-07-08",
    });
    assert.equal(answer["deleted_count"], 3);
    assert.equal((await exported()).includes("UID:f"), false);
  });

  it("without an end is not taken away day by day", async () => {
    await imports(standup);
    const answer = await bench.call("self.calendar.delete_events_batch", { start_date: "2026-07-01" });
    assert.deepEqual(
      [answer["success"], answer["message"]],
      [false, "批量删除日程失败: 'Standup' 在该时间范围内重复次数过多，请按 event_id 删除或缩小时间范围"],
    );
  });

  it("keeps its times, which its calendar alone can change", async () => {
    await imports(standup);
    const answer = await bench.call("self.calendar.update_event", { event_id: "s", start_time: "2026-07-02T10:00:00" });
    assert.match(String(answer["message"]), /^更新日程失败: 这是重复日程/);
    assert.equal((await bench.call("self.calendar.update_event", { event_id: "s", title: "S" }))["success"], true);
  });

  it("may have another event for one of its days, moved or cancelled", async () => {
    const moved = event(
      "UID:s",
      "RECURRENCE-ID:20260630T070000Z",
      "SUMMARY:Later",
      "DTSTART;TZID=Europe/Madrid:20260630T170000",
    );
    const cancelled = event(
      "UID:s",
      "RECURRENCE-ID;TZID=Europe/Madrid:20260701T090000",
      "STATUS:CANCELLED",
      "DTSTART:20260701T090000",
    );
    await imports([...moved, ...cancelled, ...standup]);
    assert.equal(await days({ date_type: "week" }), "06-29T09:00 06-30T17:00 07-03T09:00 07-04T09:00");
    const events = theirEvents(await exported());
    const exception = events.find((each) => each.isRecurrenceException());
    assert.deepEqual([exception?.uid, utcOf(exception?.recurrenceId)], ["s", "2026-06-30T07:00:00.000Z"]);
    await imports([...moved, ...cancelled, ...standup]);
    assert.equal(await days({ date_type: "week" }), "06-29T09:00 06-30T17:00 07-03T09:00 07-04T09:00");
    const other = await fresh();
    await other.call("self.calendar.import_ics", { ics: await exported() });
    await other.call("self.calendar.delete_event", { event_id: "s" });
    assert.deepEqual(await shown({ date_type: "custom" }, other), []);
    // The day does not come back with the event that stood for it gone.
    await bench.call("self.calendar.delete_event", { event_id: exception ? "s/2026-06-30T09:00:00" : "" });
    assert.equal(await days({ date_type: "week" }), "06-29T09:00 07-03T09:00 07-04T09:00");
    const left = theirEvents(await exported())[0]?.component.getAllProperties("exdate");
    assert.ok(left?.some((each) => String(each.getFirstValue()) === "2026-06-30T09:00:00"));
  });

  it("finds its moved day again, if it comes later than that or from another zone", async () => {
    const moved = event("UID:z", "RECURRENCE-ID:20260701T070000Z", "DTSTART:20260701T200000", "SUMMARY:Later");
    await imports(moved);
    for (const start of ["DTSTART;TZID=Europe/Madrid:20260630T090000", "DTSTART;TZID=Asia/Tokyo:20260630T160000"]) {
      await imports(event("UID:z", start, "RRULE:FREQ=DAILY;COUNT=3"));
      assert.equal(await days({ date_type: "week" }), "06-30T09:00 07-01T20:00 07-02T09:00");
    }
    assert.equal((await imports(moved)).updated, 1);
    assert.equal(await days({ date_type: "week" }), "06-30T09:00 07-01T20:00 07-02T09:00");
  });

  it("with a rule that is not understood is kept to the letter, and said to be", async () => {
    const rule = "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO";
    const answer = await imports(event("UID:w", "SUMMARY:W", "DTSTART:20260702T100000", `RRULE:${rule}`));
    assert.deepEqual(answer.warnings, [`'W'：重复规则 ${rule} 原样保留但无法解析，只显示第一天`]);
    const [view] = await shown({ date_type: "custom" });
    assert.deepEqual([view?.["recurrence"], view?.["recurrence_expanded"]], [rule, false]);
    assert.ok((await exported()).includes(`RRULE:${rule}\r\n`));
  });

  it("with more than there is room for is kept without it, and named by the beginning of its title", async () => {
    const [title, long] = ["Title ".repeat(20), `X-LONG:${"y".repeat(4_000)}`];
    const answer = await imports(event("UID:l", `SUMMARY:${title}`, "DTSTART:20260702T100000", long, "X-SHORT:z"));
    assert.deepEqual(answer.warnings, [say("zh", "calendar.warnCut", { title: title.slice(0, 60) })]);
    const text = await exported();
    assert.deepEqual([text.includes("X-SHORT:z"), text.includes("X-LONG")], [true, false]);
  });
});

/** One of each: house's time, UTC, another zone, whole days, a series, and a day of it that is moved. */
async function everyKind(): Promise<string[]> {
  return [
    ...event("UID:1", "SUMMARY:House", "DTSTART:20260702T100000", "DTEND:20260702T110000", "CATEGORIES:会议"),
    ...event(
      "UID:2",
      `SUMMARY:${"long ".repeat(40)}`,
      "DTSTART:20260702T100000Z",
      "DTEND:20260702T110000Z",
      "LOCATION:A\\, B",
    ),
    ...event(
      "UID:3",
      "DTSTART;TZID=Asia/Tokyo:20260703T180000",
      "DURATION:PT1H",
      "BEGIN:VALARM",
      "TRIGGER:-PT10M",
      "END:VALARM",
    ),
    ...event("UID:4", "SUMMARY:Days", "DTSTART;VALUE=DATE:20260704", "DTEND;VALUE=DATE:20260706", "X-KEPT:yes"),
    ...event(
      "UID:5",
      "SUMMARY:Series",
      "DTSTART;TZID=America/New_York:20260105T090000",
      "DURATION:PT45M",
      "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=30",
      "EXDATE;TZID=America/New_York:20260112T090000",
    ),
    ...event(
      "UID:5",
      "SUMMARY:Moved",
      "RECURRENCE-ID;TZID=America/New_York:20260119T090000",
      "DTSTART:20260120T090000",
    ),
  ];
}

function event(...lines: readonly string[]): string[] {
  return ["BEGIN:VEVENT", ...lines, "END:VEVENT"];
}

async function imports(lines: readonly string[]): Promise<Imported> {
  const ics = ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
  const answer = await bench.call<Imported>("self.calendar.import_ics", { ics });
  assert.equal(answer.success, true, answer.message);
  return answer;
}

async function exported(from: Bench = bench): Promise<string> {
  return (await from.call<{ ics: string }>("self.calendar.export_ics")).ics;
}

async function shown(args: object, from: Bench = bench): Promise<readonly View[]> {
  return (await from.call<{ events: View[] }>("self.calendar.get_events", { ...args })).events;
}

function create(args: object): Promise<Readonly<Record<string, unknown>>> {
  return bench.call("self.calendar.create_event", { title: "x", start_time: "2026-07-02T10:00:00", ...args });
}

/** As ical.js reads them, with no zones but those that the file describes. */
function theirEvents(text: string): ICAL.Event[] {
  ICAL.TimezoneService.reset();
  const calendar = new ICAL.Component(ICAL.parse(text));
  for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);
  return calendar.getAllSubcomponents("vevent").map((each) => new ICAL.Event(each));
}

function utcOf(time: ICAL.Time | undefined): string | undefined {
  return time && new Date(time.toUnixTime() * 1_000).toISOString();
}

function inMadrid(utc: string | undefined): string {
  const parts = new Date(utc ?? "").toLocaleString("sv-SE", { timeZone: "Europe/Madrid" });
  return parts.replace(" ", "T");
}

function sorted(text: string): string[] {
  return text.replaceAll("\r\n ", "").split("\r\n").sort();
}

function fresh(): Promise<Bench> {
  return onBench(
    makeCalendar(() => NOW),
    { timeZone: "Europe/Madrid" },
  );
}
