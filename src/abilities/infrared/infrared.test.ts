import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { noModule, SimulatedModule } from "../../../test/support/infrared/module.ts";
import { OpenInfrared } from "../../../test/support/infrared/open-infrared.ts";
import { ACK, CODE, ENTER, GET_BAUD, sent } from "../../../test/support/infrared/vectors.ts";
import { openFiles, ownChildren, until } from "../../../test/support/processes.ts";
import { LightAbort } from "../../light-abort.ts";
import { baudOf, type InfraredSettings, portOf } from "./index.ts";

describe("infrared over a serial line", { skip: noModule }, () => {
  let module: SimulatedModule;
  let ir: OpenInfrared;

  beforeEach(async () => {
    module = await SimulatedModule.start();
    ir = await OpenInfrared.open({ port: module.port });
  });
  afterEach(async () => {
    await ir.close();
    await module.close();
    assert.deepEqual(module.noise, []);
  });

  describe("what is known of the codes", () => {
    it("is listed, told and changed", async () => {
      await writeFile(join(ir.folder, "tv_ok.hex"), CODE);
      const path = join(ir.folder, "tv_ok.hex");
      const args = { name: "tv_ok", description: " 确认键 ", aliases: "确认,OK , 确定", category: "tv", device: "" };
      const entry = { description: "确认键", aliases: ["确认", "OK", "确定"], category: "tv" };
      assert.deepEqual(await ir.call("set_ir_code_info", args), { name: "tv_ok", path, ...entry });
      const code = { name: "tv_ok", path, ...entry, device: "" };
      assert.deepEqual(await ir.call("get_ir_code_info", { name: "tv_ok" }), code);
      assert.deepEqual(await ir.call("list_codes"), { dir: ir.folder, items: [code] });
    });

    it("keeps what is not given, and forgets what is given as a blank", async () => {
      await writeFile(join(ir.folder, "x.hex"), CODE);
      await ir.call("set_ir_code_info", { name: "x", description: "d", aliases: '["a,b", "c"]', device: "tv" });
      await ir.call("set_ir_code_info", { name: "x", description: " ", category: "k" });
      const {
        name: _name,
        path: _path,
        ...info
      } = (await ir.call("get_ir_code_info", { name: "x" })) as Record<string, unknown>;
      assert.deepEqual(info, { description: "", aliases: ["a,b", "c"], category: "k", device: "tv" });
    });

    it("needs a code of that name", async () => {
      for (const tool of ["get_ir_code_info", "set_ir_code_info"]) {
        assert.equal(await ir.failure(tool, { name: "" }), "缺少参数 name");
        assert.equal(await ir.failure(tool, { name: "x" }), `未找到红外文件: ${join(ir.folder, "x.hex")}`);
      }
    });
  });

  describe("the connection", () => {
    it("is tested by asking the module something harmless", async () => {
      assert.equal(await ir.call("test_connection"), `串口连接成功: ${module.port}`);
      assert.deepEqual(module.got, [GET_BAUD]);
      await module.mode("silent");
      const testing = ir.call("test_connection");
      await ir.passUntil(testing, 500);
      assert.equal(await testing, `串口连接成功: ${module.port}（模块无回复）`);
    });

    it("is busy while somebody else in this process has the port", async () => {
      const other = await OpenInfrared.open({ port: module.port });
      const learning = other.failure("learn_external");
      await module.hears(ENTER);
      assert.equal(await ir.failure("send_hex", { hex: CODE }), `无法打开串口 ${module.port}: Device or resource busy`);
      await other.close();
      assert.equal(await learning, "已取消");
      assert.equal(await ir.call("send_hex", { hex: CODE }), `发送成功，设备回复: ${ACK}`);
    });

    it("leaves no file and no process behind, however a call ends", async () => {
      await ir.call("send_hex", { hex: CODE });
      const [files, children] = [openFiles(), ownChildren().length];
      for (let round = 0; round < 3; round += 1) {
        await ir.call("send_hex", { hex: CODE });
        const stop = new LightAbort();
        const learning = ir.failure("learn_external", {}, { signal: stop });
        await until("the module learns", () => module.got.filter((frame) => frame === ENTER).length > round);
        stop.abort();
        await learning;
      }
      await module.mode("silent");
      const lost = ir.failure("send_hex", { hex: "99" });
      await module.hears(sent("99"));
      await module.unplug();
      await lost;
      await until("nothing is left", () => openFiles() <= files && ownChildren().length <= children);
    });
  });
});

describe("infrared without a module", () => {
  const opened: OpenInfrared[] = [];
  after(async () => {
    for (const one of opened) await one.close();
  });
  async function open(settings: Partial<InfraredSettings>, env: Record<string, string> = {}): Promise<OpenInfrared> {
    const ir = await OpenInfrared.open(settings, env);
    opened.push(ir);
    return ir;
  }

  it("has its tools all the same, in the caller's language", async () => {
    const { tools } = await open({ port: "/nowhere" });
    assert.deepEqual(
      tools.map(({ name }) => name.replace("self.ir.", "")),
      [
        "list_codes",
        "get_ir_code_info",
        "send_named",
        "send_hex",
        "learn_external",
        "set_ir_code_info",
        "get_learning_result",
        "test_connection",
      ],
    );
    for (const { description, descriptions = {} } of tools) {
      assert.equal(descriptions.en, description);
      assert.equal(new Set(Object.values(descriptions)).size, 4);
    }
    assert.equal(tools.find(({ name }) => name === "self.ir.send_named")?.descriptions?.zh, "发送已保存的红外编码");
  });

  it("says why it cannot open the port", async () => {
    const ir = await open({ port: "/nowhere" });
    const text = "无法打开串口 /nowhere: No such file or directory";
    assert.equal(await ir.failure("send_hex", { hex: CODE }), text);
    assert.equal(await ir.failure("learn_external"), text);
    assert.equal(await ir.call("test_connection"), `串口连接失败: ${text}`);
    const folder = await open({ port: ir.folder });
    assert.equal(await folder.failure("send_hex", { hex: CODE }), `无法打开串口 ${ir.folder}: 它不是串口`);
  });

  it("takes port and speed from the environment, and from the settings before that", async () => {
    const env = { IR_SERIAL_PORT: "/nowhere/env", IR_BAUD: "fast" };
    assert.deepEqual([portOf({ folder: "" }, {}), baudOf({ folder: "" }, {})], ["/dev/ttyS1", 115_200]);
    assert.deepEqual(
      [portOf({ folder: "" }, { IR_SERIAL_PORT: "" }), baudOf({ folder: "" }, { IR_BAUD: "" })],
      ["/dev/ttyS1", 115_200],
    );
    assert.equal(baudOf({ folder: "" }, { IR_BAUD: "9600" }), 9600);
    const cases = [
      [{}, "/nowhere/env: invalid baud rate 'NaN'"],
      [{ port: "/nowhere/set" }, "/nowhere/set: invalid baud rate 'NaN'"],
      [{ baud: 9600 }, "/nowhere/env: No such file or directory"],
    ] as const;
    for (const [settings, expected] of cases) {
      const ir = await open(settings, env);
      assert.equal(await ir.failure("send_hex", { hex: CODE }), `无法打开串口 ${expected}`);
    }
  });

  it("lists nothing where there is no folder, and says so", async () => {
    const ir = await open({ folder: "/nowhere/codes" });
    assert.deepEqual(await ir.call("list_codes"), { error: "目录不存在: /nowhere/codes", items: [] });
  });
});
