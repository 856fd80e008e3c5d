/** Files that are not meant well, or not meant at all: each is answered, none costs much, and the calendar stays as it was. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type Bench, onBench } from "../../../test/support/ability-bench.ts";
import { fc } from "../../../test/support/seed.ts";
import { escaped, folded, listOf, parseLine, textOf, unfolded, writeLine } from "./ics/syntax.ts";
import { makeCalendar } from "./index.ts";

const NOW = Date.parse("2026-07-01T13:45:12Z");

let bench: Bench;

beforeEach(async () => {
  bench = await onBench(
    makeCalendar(() => NOW),
    { timeZone: "Europe/Madrid" },
  );
});

describe("a text that is no calendar", () => {
  const texts: readonly (readonly [string, string, RegExp])[] = [
    ["nothing", "", /应以 BEGIN:VCALENDAR 开头/],
    ["a page", "<html><body>Sign in</body></html>", /应以 BEGIN:VCALENDAR 开头/],
    ["an event alone", "BEGIN:VEVENT\nDTSTART:20260702T100000\nEND:VEVENT", /应以 BEGIN:VCALENDAR 开头/],
    ["a file that is cut off", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1", /第 3 行：VEVENT 未正确结束/],
    ["ends that cross", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\nEND:VEVENT", /第 3 行：VCALENDAR 未正确结束/],
    ["an end too many", "END:VCALENDAR", /第 1 行/],
    ["a tower", "BEGIN:VCALENDAR\n".repeat(1_000), /第 9 行/],
    ["too much", `BEGIN:VCALENDAR\nX:${"x".repeat(2_000_000)}\nEND:VCALENDAR`, /最多 2000000 个字符/],
    ["too many", `BEGIN:VCALENDAR\n${"BEGIN:VEVENT\nEND:VEVENT\n".repeat(10_001)}END:VCALENDAR`, /最多 10000 个事件/],
  ];
  for (const [what, ics, message] of texts) {
    it(`is refused: ${what}`, async () => {
      const answer = await bench.call("self.calendar.import_ics", { ics });
      assert.equal(answer["success"], false);
      assert.match(String(answer["message"]), /^导入日历失败: /);
      assert.match(String(answer["message"]), message);
    });
  }
});

describe("a file of strangers", () => {
  it("is all taken or not at all", async () => {
    const one = (uid: number, size: number) =>
      `BEGIN:VEVENT\nUID:${uid}\nDTSTART:20260702T100000\nDESCRIPTION:${"x".repeat(size)}\nEND:VEVENT\n`;
    const file = (from: number) => {
      const events = Array.from({ length: 190 }, (_, index) => one(from + index, 9_900)).join("");
      return { ics: `BEGIN:VCALENDAR\n${events}END:VCALENDAR` };
    };
    const answers = [];
    for (let round = 0; round < 5; round++)
      answers.push(await bench.call("self.calendar.import_ics", file(round * 190)));
    assert.deepEqual(
      answers.map((answer) => answer["success"]),
      [true, true, true, true, false],
    );
    assert.equal(answers.at(-1)?.["message"], "导入日历失败: 日历内容过多，请先删除一些事件");
    const { total_events } = await bench.call<{ total_events: number }>("self.calendar.export_ics");
    assert.equal(total_events, 760);
  });

  it("may hold thousands of rules that hardly ever fall, and questions are still answered soon", async () => {
    const rules = [
      "FREQ=DAILY;COUNT=9999",
      "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30;COUNT=9",
      "FREQ=DAILY",
      "FREQ=YEARLY;BYDAY=53MO",
    ];
    const events = Array.from(
      { length: 8_000 },
      (_, index) => `BEGIN:VEVENT\nUID:${index}\nDTSTART:00010101T100000\nRRULE:${rules[index % 4]}\nEND:VEVENT\n`,
    );
    const ics = `BEGIN:VCALENDAR\n${events.join("")}END:VCALENDAR`;
    const answer = await bench.call("self.calendar.import_ics", { ics });
    assert.equal(answer["created"], 8_000);
    const asked = await bench.call<{ incomplete?: boolean; events: unknown[] }>("self.calendar.get_events", {
      start_date: "1900-01-01",
      end_date: "2100-01-01",
    });
    assert.deepEqual([asked.incomplete, asked.events.length], [true, 1_000]);
    const created = await bench.call("self.calendar.create_event", { title: "x", start_time: "2026-07-02T10:00:00" });
    assert.equal(typeof created["success"], "boolean");
  });

  it("cannot make two lines of one", async () => {
    const evil = "a\\nEND:VEVENT\\nBEGIN:VEVENT";
    await bench.call("self.calendar.import_ics", {
      ics: `BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:${evil}\nX-A:b\rDTSTART:20260702T100000\nEND:VEVENT\nEND:VCALENDAR`,
    });
    const { ics } = await bench.call<{ ics: string }>("self.calendar.export_ics");
    assert.equal(ics.match(/^BEGIN:VEVENT/gm)?.length, 1);
    assert.match(ics, /^SUMMARY:a\\nEND:VEVENT\\nBEGIN:VEVENT\r$/m);
  });

  it("may name its events as it likes", async () => {
    for (const uid of ["__proto__", "constructor", "../../etc/passwd", "a".repeat(301)]) {
      const ics = `BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:${uid}\nDTSTART:20260702T100000\nEND:VEVENT\nEND:VCALENDAR`;
      const answer = await bench.call("self.calendar.import_ics", { ics });
      assert.deepEqual([answer["created"], answer["skipped"]], uid.length > 300 ? [0, 1] : [1, 0], uid);
    }
    const gone = await bench.call("self.calendar.delete_event", { event_id: "__proto__" });
    assert.equal(gone["success"], true);
  });

  it("is answered whatever stands in it, and what was taken can be written and read again", async () => {
    const line = fc.oneof(
      fc.constantFrom("BEGIN:VEVENT", "END:VEVENT", "BEGIN:VALARM", "END:VALARM", "UID:1", "DTSTART:20260702T100000"),
      fc.constantFrom(
        "DTSTART;VALUE=DATE:20260702",
        "DTSTART;TZID=Asia/Tokyo:20260702T1000",
        "RRULE:FREQ=DAILY;COUNT=3",
      ),
      fc.constantFrom(
        "RECURRENCE-ID:20260703T100000",
        "EXDATE:20260703",
        "DURATION:-P9W",
        "TRIGGER:-PT1M",
        "STATUS:CANCELLED",
      ),
      fc
        .tuple(fc.constantFrom("SUMMARY", "DTSTART", "DTEND", "RRULE", "EXDATE", "X"), fc.string())
        .map((parts) => parts.join(":")),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const ics = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", ...lines, "END:VEVENT", "END:VCALENDAR"].join("\r\n");
        const answer = await bench.call("self.calendar.import_ics", { ics });
        assert.equal(typeof answer["success"], "boolean", JSON.stringify(answer));
        const written = await bench.call<{ ics: string; total_events: number }>("self.calendar.export_ics");
        const again = await bench.call("self.calendar.import_ics", { ics: written.ics });
        assert.deepEqual([again["success"], again["total_events"]], [true, written.total_events], written.ics);
        await bench.call("self.calendar.get_events", { date_type: "custom" });
      }),
      { numRuns: 100 },
    );
    assert.deepEqual(bench.logged, []);
  });
});

describe("lines of iCalendar", () => {
  const word = fc.string({ unit: "binary", maxLength: 200 });

  it("come back as they were folded", () => {
    fc.assert(
      fc.property(word, (text) => {
        const line = `X:${text.replaceAll(/[\r\n]/g, "").toWellFormed()}`;
        for (const part of folded(line).split("\r\n")) assert.ok(Buffer.byteLength(part) <= 75);
        assert.deepEqual(
          unfolded(folded(line)).map((each) => each.text),
          [line],
        );
      }),
    );
  });

  it("come back as they were written, texts and parameters", () => {
    fc.assert(
      fc.property(word, word, (value, param) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in iCalendar, and are left out.
        const plain = value.replaceAll(/\r\n?/g, "\n").replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
        const named = param.replaceAll(/[\r\n^]/g, " ");
        const line = parseLine(writeLine("SUMMARY", escaped(value), { CN: named }));
        assert.deepEqual([textOf(line?.value ?? ""), line?.params.get("CN")], [plain, named]);
      }),
    );
  });

  it("are parted at commas that are no part of a text", () => {
    assert.deepEqual(listOf("a,b\\,c,\\\\,d"), ["a", "b\\,c", "\\\\", "d"]);
    assert.deepEqual(listOf(""), [""]);
  });

  for (const raw of ["", ":", "no colon", "A;B", "A;B=", "A;=c:d", ";:", 'A;B="c:d']) {
    it(`are none: ${JSON.stringify(raw)}`, () => assert.equal(parseLine(raw), undefined));
  }

  it("are read in one go, however often they begin a quotation", () => {
    assert.equal(parseLine(`A${';B="'.repeat(100_000)}`), undefined);
    assert.equal(parseLine(`A;B=${'"",'.repeat(100_000)}`), undefined);
  });
});
