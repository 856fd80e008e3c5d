/** A moment in a calendar, and in a schema. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDate, isDateTime, localOf, momentOf } from "./form-text.ts";

describe("a moment", () => {
  const { TZ } = process.env;
  before(() => {
    process.env["TZ"] = "Europe/Madrid";
  });
  after(() => {
    if (TZ === undefined) delete process.env["TZ"];
    else process.env["TZ"] = TZ;
  });

  it("is shown in the reader's time, summer and winter, and meant for everybody", () => {
    const moments = ["2026-08-01T10:00:00Z", "2026-01-01T10:00:00Z"];
    assert.deepEqual(moments.map(localOf), ["2026-08-01T12:00:00", "2026-01-01T11:00:00"]);
    assert.deepEqual(moments.map(localOf).map(momentOf), moments);
    assert.equal(momentOf("2026-08-01T12:00"), "2026-08-01T10:00:00Z");
    assert.equal(localOf("2026-08-01T12:00:00+05:30"), "2026-08-01T08:30:00");
  });

  it("is none while it is not finished", () => {
    for (const text of ["", "2026", "tomorrow"]) assert.equal(momentOf(text === "2026" ? "2026-99" : text), undefined);
  });
});

describe("text", () => {
  it("is a date or a moment only as schemas write them", () => {
    assert.deepEqual(["2026-08-01", "2026-13-01", "1.8.2026", "", "now"].map(isDate), [
      true,
      false,
      false,
      false,
      false,
    ]);
    const moments = ["2026-08-01T10:00:00Z", "2026-08-01T10:00:00.5+02:00", "2026-08-01T10:00", "2026-08-01", "now"];
    assert.deepEqual(moments.map(isDateTime), [true, true, false, false, false]);
  });
});
