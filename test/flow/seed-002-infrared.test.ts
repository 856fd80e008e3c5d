/**
 * Seed 002 「示例：红外（IR）工具」 at a real hub on a machine without the module: what is kept in files, and the exact texts of
 * what goes wrong. The module itself, on a serial line, has tests beside its code. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { CALLERS_HELLO, DeviceSocket } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { ABILITIES, abilities, assertSeedFailure, type OpenHub, openHub, untilListed } from "../support/seed-002.ts";

const HEX = "a9 04 c5 04 39 4d 3f 50";
const CHINESE = { "accept-language": "zh" };

const root = mkdtempSync(join(tmpdir(), "zaguan-ir-"));
const folder = join(root, "codes");
const port = join(root, "no-such-port");
let house: OpenHub;
let chinese: RegistryClient;
before(async () => {
  house = await openHub(abilities(ABILITIES.infrared(folder)), { env: { IR_SERIAL_PORT: port } });
  chinese = new RegistryClient(house.hub.url, CHINESE);
  await untilListed(house.http, "self.ir.list_codes");
});
after(async () => {
  await house?.hub.stop();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

function keep(name: string, hex = HEX): void {
  writeFileSync(join(folder, `${name}.hex`), hex);
}

async function told(name: string, args: object = {}): Promise<Message> {
  return JSON.parse(await chinese.textOf("/mcp", `self.ir.${name}`, args));
}

/** The text of a failure, which is a result. */
async function failed(name: string, args: object = {}, by = chinese): Promise<string> {
  const { body, text } = await by.call("/mcp", `self.ir.${name}`, args);
  assert.equal(body.result?.isError, true, text);
  return body.result.content[0].text;
}

describe("self.ir.list_codes", () => {
  it("of an empty folder is an empty list, with the folder", async () => {
    assert.deepEqual(await told("list_codes"), { dir: folder, items: [] });
  });

  it("of a folder that is not there says so, in a result that is no error", async () => {
    rmSync(folder, { recursive: true });
    const { error, items } = await told("list_codes");
    assert.match(error, /^目录不存在: /);
    assert.deepEqual(items, []);
  });

  it("has every code with what is kept beside it", async () => {
    keep("tv_power");
    keep("ac_on");
    writeFileSync(join(folder, "notes.txt"), "no code");
    const meta = { tv_power: { description: "电视开关", aliases: ["电视", "TV"], category: "tv", device: "客厅" } };
    writeFileSync(join(folder, "codes_meta.json"), JSON.stringify(meta));
    const { items } = await told("list_codes");
    assert.deepEqual(items.map(({ name }: Message) => name).toSorted(), ["ac_on", "tv_power"]);
    const tv = items.find(({ name }: Message) => name === "tv_power");
    assert.deepEqual(tv, { name: "tv_power", path: join(folder, "tv_power.hex"), ...meta.tv_power });
    const ac = items.find(({ name }: Message) => name === "ac_on");
    assert.deepEqual(ac.aliases, []);
  });

  it("reads other people's way of keeping names: `labels`, and a text with commas", async () => {
    keep("fan");
    keep("lamp");
    const meta = { fan: { labels: ["风扇"] }, lamp: { aliases: "灯, 台灯" } };
    writeFileSync(join(folder, "codes_meta.json"), JSON.stringify(meta));
    const { items } = await told("list_codes");
    const aliases = Object.fromEntries(items.map(({ name, aliases: all }: Message) => [name, all]));
    assert.deepEqual(aliases, { fan: ["风扇"], lamp: ["灯", "台灯"] });
  });

  it("bears a file of names that is broken", async () => {
    keep("fan");
    writeFileSync(join(folder, "codes_meta.json"), "{{{");
    assert.equal((await told("list_codes")).items.length, 1);
  });
});

describe("self.ir.set_ir_code_info", () => {
  it("keeps what it is given, and the list and get_ir_code_info have it", async () => {
    keep("tv_power");
    await chinese.textOf("/mcp", "self.ir.set_ir_code_info", {
      name: "tv_power",
      description: "电视",
      aliases: "电视, TV",
      category: "tv",
      device: "客厅",
    });
    const kept = JSON.parse(readFileSync(join(folder, "codes_meta.json"), "utf8"));
    assert.deepEqual(kept.tv_power, { description: "电视", aliases: ["电视", "TV"], category: "tv", device: "客厅" });
    assert.equal((await told("list_codes")).items[0].description, "电视");
    assert.match(await chinese.textOf("/mcp", "self.ir.get_ir_code_info", { name: "tv_power" }), /电视/);
  });

  it("takes names as a JSON list, too, and leaves the names of others alone", async () => {
    keep("tv_power");
    keep("fan");
    writeFileSync(join(folder, "codes_meta.json"), JSON.stringify({ fan: { description: "风扇", aliases: ["F"] } }));
    await chinese.textOf("/mcp", "self.ir.set_ir_code_info", { name: "tv_power", aliases: '["a","b"]' });
    const kept = JSON.parse(readFileSync(join(folder, "codes_meta.json"), "utf8"));
    assert.deepEqual(kept.tv_power.aliases, ["a", "b"]);
    assert.equal(kept.fan.description, "风扇");
  });
});

describe("what goes wrong is a result with the exact text", () => {
  it("a code that is not there, by its file", async () => {
    assert.equal(await failed("send_named", { name: "nada" }), `未找到红外文件: ${join(folder, "nada.hex")}`);
  });

  it("hexadecimal that is none", async () => {
    assert.equal(await failed("send_hex", { hex: "xyz" }), "无效的十六进制数据");
    keep("broken", "zz");
    assert.equal(await failed("send_named", { name: "broken" }), "无效的十六进制数据");
  });

  it("a port that cannot be opened, with its name and the reason", async () => {
    keep("tv_power");
    for (const [name, args] of [
      ["send_named", { name: "tv_power" }],
      ["send_hex", { hex: HEX }],
      ["send_hex", { hex: "A904\nC504\t394d3f50" }],
    ] as const) {
      assert.match(await failed(name, args), new RegExp(`^无法打开串口 ${port}: \\S`));
    }
  });

  it("a name or a code that is empty", async () => {
    assert.equal(await failed("send_named", { name: "" }), "缺少参数 name");
    assert.equal(await failed("send_hex", { hex: "" }), "缺少参数 hex");
  });

  it("the line itself, when it is tried", async () => {
    const { body, text } = await chinese.call("/mcp", "self.ir.test_connection", {});
    assert.match(body.result?.content?.[0]?.text, /^串口连接失败: \S/, text);
  });

  it("is in English where nobody asks for Chinese", async () => {
    const said = await failed("send_named", { name: "nada" }, house.http);
    assert.doesNotMatch(said, /[\u4e00-\u9fff]/);
    assert.match(said, /nada/);
  });

  it("is in the text and in result.error on a device's socket, as the seed has it", async () => {
    const caller = await DeviceSocket.open({ url: house.hub.url, headers: CHINESE });
    await caller.hello(CALLERS_HELLO);
    keep("tv_power");
    const params = { name: "self.ir.send_named", arguments: { name: "tv_power" } };
    assert.match(assertSeedFailure(await caller.request("tools/call", params)), /^无法打开串口 /);
    assertSeedFailure(await caller.request("tools/call", { name: "self.ir.send_named", arguments: {} }));
    await caller.close();
  });
});

describe("a name", () => {
  it("leads to no file outside of the folder", async () => {
    writeFileSync(join(root, "secret.hex"), HEX);
    for (const name of ["../secret", join(root, "secret"), "..\\secret", "x/../../secret", "secret\u0000"]) {
      assert.doesNotMatch(await failed("send_named", { name }), /^无法打开串口/, name);
      await chinese.call("/mcp", "self.ir.set_ir_code_info", { name, description: "x" });
    }
    assert.ok(!existsSync(join(root, "codes_meta.json")));
  });

  it("may be that of something which every object has", async () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      assert.match(await failed("send_named", { name }), /^未找到红外文件: /);
    }
  });
});
