import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import type { DoorFactory } from "../door.ts";
import { etags } from "./etag.ts";
import { restDoor, route } from "./route.ts";

describe("a list for those who poll", () => {
  let doors: OpenDoors;
  let version = 1;
  let made = 0;
  let failing = false;
  let tools: readonly string[] = [];

  const list: DoorFactory = (context) => {
    const withEtag = etags();
    return restDoor(context, "tools", [
      route(
        {
          method: "GET",
          path: "/tools",
          operationId: "tools",
          tag: "Tools",
          summary: "Tools",
          answers: {},
          needs: "see",
        },
        (request) =>
          withEtag(request, version, async () => {
            made++;
            if (failing) throw new Error("not now");
            return { status: 200, body: { for: request.principal.name, tools }, headers: { "x-total-count": "2" } };
          }),
      ),
    ]);
  };

  beforeEach(async () => {
    [version, made, failing, tools] = [1, 0, false, ["a", "b"]];
    doors = await openDoors([list]);
  });
  afterEach(() => doors.close());

  const poll = (tag: string) => doors.ask("/tools", { headers: { "if-none-match": tag } });

  it("has a tag, by which it is known to be unchanged", async () => {
    const first = await doors.ask("/tools");
    const tag = String(first.headers.etag);
    assert.deepEqual([first.status, first.headers["x-total-count"]], [200, "2"]);
    assert.match(tag, /^"[\w-]{27}"$/);
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const { status, text, headers } = await poll(known);
      assert.deepEqual([status, text, headers.etag, headers["content-length"]], [304, "", tag, undefined], known);
    }
    assert.equal((await poll('"x"')).status, 200);
  });

  it("is made once for each version, whoever asks at the same time", async () => {
    await Promise.all(Array.from({ length: 10 }, () => doors.ask("/tools")));
    assert.equal(made, 1);
    [version, tools] = [2, ["c"]];
    assert.deepEqual((await doors.ask("/tools")).json, { for: "local", tools: ["c"] });
    assert.equal(made, 2);
  });

  it("keeps its tag while it says the same, even as a new version or after a restart", async () => {
    const tag = String((await doors.ask("/tools")).headers.etag);
    version = 2;
    assert.equal((await poll(tag)).status, 304);
    tools = ["c"];
    version = 3;
    assert.equal((await poll(tag)).status, 200);
  });

  it("is never shown to another caller", async () => {
    await doors.ask("/tools");
    assert.equal((await doors.ask("/tools", { headers: { "x-api-key": "ann" } })).json["for"], "ann");
  });

  it("is tried anew after it could not be made", async () => {
    failing = true;
    assert.equal((await doors.ask("/tools")).status, 500);
    failing = false;
    assert.equal((await doors.ask("/tools")).status, 200);
  });

  it("keeps no more than some of what it was asked for", async () => {
    tools = ["x".repeat(10_000_000)];
    for (const query of ["a", "b", "c", "d"]) await doors.ask(`/tools?${query}`);
    await doors.ask("/tools?d");
    assert.equal(made, 4);
    await doors.ask("/tools?a");
    assert.equal(made, 5);
  });
});
