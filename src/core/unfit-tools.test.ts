import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeTool } from "../../test/support/make-call.ts";
import { unfitness } from "./unfit-tools.ts";

function schema(properties: object): { readonly inputSchema: Readonly<Record<string, unknown>> } {
  return { inputSchema: { type: "object", properties } };
}

/** An object in an object in an object, so many of them. */
function nested(levels: number): Readonly<Record<string, unknown>> {
  let value: Readonly<Record<string, unknown>> = {};
  for (let level = 1; level < levels; level++) value = { inner: value };
  return value;
}

function wide(parts: number): object {
  return Object.fromEntries(Array.from({ length: parts }, (_, index) => [`p${index}`, true]));
}

describe("a tool that may be offered", () => {
  it("is one like most", () => {
    assert.equal(unfitness(makeTool("on")), undefined);
    assert.equal(unfitness(makeTool("on", schema({ room: { type: "string", enum: ["kitchen", "hall"] } }))), undefined);
  });

  it("may have many properties and long texts", () => {
    assert.equal(unfitness(makeTool("on", schema(wide(10_000)))), undefined);
    assert.equal(unfitness(makeTool("on", { description: "d".repeat(200_000) })), undefined);
  });

  it("may leave its schema's type unsaid", () => {
    assert.equal(unfitness(makeTool("on", { inputSchema: {} })), undefined);
  });

  it("may be nested sixty-four levels deep, itself and its schema counted", () => {
    assert.equal(unfitness(makeTool("on", schema(nested(62)))), undefined);
    assert.match(unfitness(makeTool("on", schema(nested(63)))) ?? "", /nested deeper than 64 levels/);
  });
});

describe("a tool that nobody is handed", () => {
  it("has a schema for something else than an object", () => {
    for (const type of ["string", "array", ["object", "null"], 7, null]) {
      const reason = unfitness(makeTool("on", { inputSchema: { type } }));
      assert.match(reason ?? "", /not that of an object/, JSON.stringify(type));
    }
  });

  it("is nested so deeply that clients would run out of stack", () => {
    assert.match(unfitness(makeTool("on", schema(nested(100_000)))) ?? "", /nested deeper/);
    assert.match(unfitness(makeTool("on", { annotations: nested(1_000) })) ?? "", /nested deeper/);
  });

  it("has more parts than anybody would write", () => {
    assert.match(unfitness(makeTool("on", schema(wide(20_000)))) ?? "", /more than 20000 parts/);
    assert.match(unfitness(makeTool("on", schema({ room: { enum: Array(20_000).fill(1) } }))) ?? "", /parts/);
  });

  it("is larger than a whole list should be, by its texts or by its keys", () => {
    assert.match(
      unfitness(makeTool("on", { description: "d".repeat(262_145) })) ?? "",
      /larger than 262144 characters/,
    );
    assert.match(unfitness(makeTool("on", schema({ ["k".repeat(262_145)]: true }))) ?? "", /larger/);
  });

  it("is found out without being looked at to its end", () => {
    let looked = 0;
    const counted = new Proxy(Array(1_000_000).fill(0), {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) looked++;
        return Reflect.get(target, key);
      },
    });
    assert.ok(unfitness(makeTool("on", schema({ room: { enum: counted } }))));
    assert.ok(looked <= 20_000, `${looked} parts were looked at`);
  });
});
