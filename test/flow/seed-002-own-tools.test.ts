/**
 * Seed 002 「如何新增/注册一个工具」 at a real hub: modules in a folder that call `addTool`, taken up at the start and while the
 * hub runs; one that is broken is reported and stops no other. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertSchema } from "../support/local-tools.ts";
import { until } from "../support/processes.ts";
import {
  ABILITIES,
  abilities,
  ChangeWatch,
  definitionOf,
  type OpenHub,
  OWN_TOOL,
  openHub,
  ownModule,
  plainTool,
  reasonIn,
  untilGone,
  untilListed,
} from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";

const HELLO = "self.demo.hello";

const folder = mkdtempSync(join(tmpdir(), "zaguan-own-"));
const tools = join(folder, "tools");
let house: OpenHub;
before(async () => {
  mkdirSync(tools);
  write("hello.ts", OWN_TOOL);
  house = await openHub(abilities(ABILITIES.tools("./tools")), { folder });
  await untilListed(house.http, HELLO);
});
after(async () => {
  await house?.hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

function write(file: string, body: string): void {
  writeFileSync(join(tools, file), ownModule(body));
}

function remove(file: string): void {
  rmSync(join(tools, file));
}

const call = (name: string, args: object = {}): Promise<string> => house.http.textOf("/mcp", name, args);

async function untilSays(name: string, expected: string): Promise<void> {
  const said = async (): Promise<string> => (await house.http.call("/mcp", name, {})).text;
  await askUntil(`${name} says ${expected}`, said, (text) => text.includes(expected));
}

describe("a tool of one's own", () => {
  it("is listed with the schema that its properties make: a default makes optional", async () => {
    const definition = await definitionOf(house.http, HELLO);
    assert.equal(definition.description, "示例工具：打招呼");
    assertSchema(definition, {
      name: { type: "string", default: "world" },
      times: { type: "integer", minimum: 1, maximum: 3 },
      loud: { type: "boolean", default: false },
    });
  });

  it("is called with what is given, and with the defaults of what is not", async () => {
    assert.equal(await call(HELLO, { times: 1 }), "Hello, world!");
    assert.equal(await call(HELLO, { times: 2, name: "张三", loud: true }), "HELLO, 张三! HELLO, 张三!");
  });

  it("is not called with what its properties forbid", async () => {
    for (const args of [{}, { times: 4 }, { times: 0 }, { times: "2" }, { times: 1, loud: "sí" }]) {
      const { status, body, text } = await house.http.call("/mcp", HELLO, args);
      assert.deepEqual([status, body.error?.code], [400, -32602], text);
    }
  });

  it("may give a bool, an integer, a text, or content, and later", async () => {
    write(
      "results.ts",
      [
        plainTool("own.yes", "() => true"),
        plainTool("own.no", "async () => false"),
        plainTool("own.number", "() => 42"),
        plainTool("own.text", '() => "文本"'),
        plainTool(
          "own.content",
          '() => [{ type: "text", text: "a" }, { type: "image", data: "AA==", mimeType: "image/png" }]',
        ),
      ].join("\n"),
    );
    await untilListed(house.http, "own.content");
    const expected = { "own.yes": "true", "own.no": "false", "own.number": "42", "own.text": "文本" };
    for (const [name, text] of Object.entries(expected)) assert.equal(await call(name), text);
    const { body } = await house.http.call("/mcp", "own.content", {});
    assert.deepEqual(
      body.result.content.map(({ type }: { type: string }) => type),
      ["text", "image"],
    );
  });

  it("that throws fails in a result, with its own words", async () => {
    write("throws.ts", plainTool("own.throws", '() => { throw new Error("无法打开串口"); }'));
    await untilListed(house.http, "own.throws");
    const answered = await house.http.call("/mcp", "own.throws", {});
    assert.equal(answered.body.result?.isError, true, answered.text);
    assert.equal(reasonIn(answered), "无法打开串口");
    assert.doesNotMatch(answered.text, /throws\.ts/);
  });
});

describe("the folder", () => {
  it("is watched: a module that comes brings its tools, and clients are told", async () => {
    const watch = await ChangeWatch.open(house.hub.url);
    const before = watch.count;
    write("later.ts", plainTool("own.later", '() => "one"'));
    await untilListed(house.http, "own.later");
    await watch.more(before);
    assert.equal(await call("own.later"), "one");
    watch.leave();
  });

  it("is watched: a module that changes does what it says now", async () => {
    write("later.ts", plainTool("own.later", '() => "two"'));
    await untilSays("own.later", "two");
    write("later.ts", plainTool("own.renamed", '() => "three"'));
    await untilListed(house.http, "own.renamed");
    await untilGone(house.http, "own.later");
  });

  it("is watched: a module that goes takes its tools with it", async () => {
    remove("later.ts");
    await untilGone(house.http, "own.renamed");
  });

  it("may hold JavaScript, and files that are no modules", async () => {
    write("script.js", plainTool("own.script", '() => "js"'));
    writeFileSync(join(tools, "README.md"), "# nothing");
    await untilListed(house.http, "own.script");
    assert.equal(await call("own.script"), "js");
  });
});

describe("a broken module", () => {
  for (const [what, body] of [
    ["does not parse", "addTool({"],
    ["throws", 'throw new Error("no");'],
    ["imports what is not there", 'import "./no-such-file.ts";'],
    ["registers nonsense", 'addTool({ name: 7, properties: "x" });'],
    ["has a default outside of its range", badDefault()],
  ] as const) {
    it(`that ${what} is reported by its name and stops no other`, async () => {
      const logged = house.logged().length;
      write("broken.ts", body);
      await until("the log names it", () => house.logged().slice(logged).includes("broken.ts"));
      assert.match(house.logged().slice(logged), /"level":"(?:warn|error)"/);
      assert.equal(await call(HELLO, { times: 1 }), "Hello, world!");
      remove("broken.ts");
    });
  }

  it("that was good before leaves all tools as they were, its own too, and works again when it is mended", async () => {
    write("mended.ts", plainTool("own.mended", '() => "good"'));
    await untilListed(house.http, "own.mended");
    const logged = house.logged().length;
    write("mended.ts", "addTool({");
    await until("the log names it", () => house.logged().slice(logged).includes("mended.ts"));
    assert.equal(await call(HELLO, { times: 1 }), "Hello, world!");
    assert.equal(await call("own.mended"), "good");
    write("mended.ts", plainTool("own.mended", '() => "mended"'));
    await untilSays("own.mended", "mended");
  });

  it("at the start does not keep the hub from starting", async () => {
    write("broken.ts", "addTool({");
    await house.hub.stop();
    house = await openHub(abilities(ABILITIES.tools("./tools")), { folder });
    await untilListed(house.http, HELLO);
    await until("the log names it", () => house.logged().includes("broken.ts"));
    remove("broken.ts");
  });
});

describe("a name that is taken", () => {
  it("in the same folder stays with the first, and the log says so", async () => {
    const logged = house.logged().length;
    write("zz-second.ts", plainTool(HELLO, '() => "second"'));
    await until("the log names it", () => house.logged().slice(logged).includes(HELLO));
    assert.equal(await call(HELLO, { times: 1 }), "Hello, world!");
    remove("zz-second.ts");
  });

  it("by another source is kept by whoever had it", async () => {
    write("clash.ts", plainTool("get_presence", '() => "mine"'));
    const names = await askUntil(
      "it is listed under a name of its own",
      () => house.http.names("/mcp"),
      (all) => all.some((name) => name.endsWith("__get_presence")),
    );
    assert.notEqual(await call("get_presence"), "mine");
    assert.equal(await call(names.find((name) => name.endsWith("__get_presence")) ?? ""), "mine");
    remove("clash.ts");
  });
});

function badDefault(): string {
  const properties = '{ n: { type: "integer", default: 9, minimum: 0, maximum: 3 } }';
  return `addTool({ name: "own.bad", description: "x", properties: ${properties}, handler: () => true });`;
}
