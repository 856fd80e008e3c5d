import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { noModule, SimulatedModule } from "../../../test/support/infrared/module.ts";
import { OpenInfrared } from "../../../test/support/infrared/open-infrared.ts";
import { ACK, CODE, ENTER, EXIT, LEARNED, LONG_CODE, sent } from "../../../test/support/infrared/vectors.ts";
import { until } from "../../../test/support/processes.ts";
import { LightAbort } from "../../light-abort.ts";
import type { InfraredSettings } from "./index.ts";

const BACKGROUND = { learning: "background" } as const;

describe("learning infrared over a serial line", { skip: noModule }, () => {
  let module: SimulatedModule;
  let ir: OpenInfrared;

  async function open(settings: Partial<InfraredSettings> = {}): Promise<void> {
    ir = await OpenInfrared.open({ port: module.port, ...settings });
  }

  beforeEach(async () => {
    module = await SimulatedModule.start();
  });
  afterEach(async () => {
    await ir.close();
    await module.close();
    assert.deepEqual(module.noise, []);
  });

  describe("while the caller waits", () => {
    beforeEach(() => open());

    it("saves what a key of the remote control says", async () => {
      const learning = ir.call("learn_external");
      await module.hears(ENTER);
      await module.press(CODE);
      const { saved, bytes } = (await learning) as { saved: string; bytes: number };
      assert.match(saved, new RegExp(`^${ir.folder}/ir_code_\\d{10}\\.hex$`));
      assert.equal(bytes, 117);
      assert.equal(await readFile(saved, "utf8"), CODE);
      assert.deepEqual(module.got, [ENTER]);
      assert.match(ir.log.join(), /learned ir_code_\d+: 117 bytes, \d+ durations/);
    });

    it("saves it under a name with what is said of it, and sends it again", async () => {
      const said = { description: " 电源 ", aliases: '["开机", "关机"]', category: "tv", device: "电视" };
      const learning = ir.call("learn_external", { name: "tv_power", ...said });
      await module.hears(ENTER);
      await module.press(LONG_CODE);
      const path = join(ir.folder, "tv_power.hex");
      assert.deepEqual(await learning, { saved: path, bytes: 91 });
      const info = { description: "电源", aliases: ["开机", "关机"], category: "tv", device: "电视" };
      assert.deepEqual(await ir.call("get_ir_code_info", { name: "tv_power" }), { name: "tv_power", path, ...info });
      const { timestamp, ...result } = (await ir.call("get_learning_result")) as Record<string, unknown>;
      assert.deepEqual(result, { status: "success", result: path, name: "tv_power" });
      assert.equal(Math.abs(Number(timestamp) - Date.now() / 1000) < 60, true);
      assert.equal(await ir.call("send_named", { name: "tv_power" }), `发送成功，设备回复: ${ACK}`);
      assert.deepEqual(module.got, [ENTER, sent(LONG_CODE)]);
    });

    it("understands a reply and a code in one piece, in single bytes, and behind noise", async () => {
      await module.pressGlued(CODE);
      assert.equal(((await ir.call("learn_external", { name: "glued" })) as { bytes: number }).bytes, 117);
      for (const mode of ["slow", "garbage-first"] as const) {
        await module.mode(mode);
        const learning = ir.call("learn_external", { name: mode });
        await until("the module learns", () => module.got.length === (mode === "slow" ? 2 : 3));
        await module.press(CODE);
        await learning;
        assert.equal(await readFile(join(ir.folder, `${mode}.hex`), "utf8"), CODE);
      }
    });

    it("gives up after thirty seconds without a key, and tells the module to stop", async () => {
      const learning = ir.failure("learn_external");
      await module.answers(ACK);
      const tookMs = await ir.passUntil(learning, 500);
      assert.equal(await learning, "未收到学习成功的数据帧");
      assert.equal(tookMs >= 30_000 && tookMs <= 32_000, true, `${tookMs} ms`);
      await module.hears(EXIT);
      assert.deepEqual(module.got, [ENTER, EXIT]);
      assert.deepEqual(await readdir(ir.folder), []);
    });

    it("gives up after two seconds where the module says nothing at all", async () => {
      await module.mode("silent");
      const learning = ir.failure("learn_external");
      await module.hears(ENTER);
      const tookMs = await ir.passUntil(learning);
      assert.equal(await learning, "未收到有效响应: 无");
      assert.equal(tookMs >= 2_000 && tookMs < 3_000, true, `${tookMs} ms`);
    });

    it("gives up after thirty-five seconds in all, whatever else the module says", async () => {
      const learning = ir.failure("learn_external");
      await module.answers(ACK);
      await ir.passUntil(ir.clockAfter(20_000), 500);
      await module.raw(ACK);
      const tookMs = await ir.passUntil(learning, 500);
      assert.equal(await learning, "未收到学习成功的数据帧");
      assert.equal(tookMs >= 14_000 && tookMs <= 17_000, true, `${tookMs} ms`);
    });

    it("waits for a key where the module's answer was spoilt on its way", async () => {
      await module.mode("silent");
      const learning = ir.failure("learn_external");
      await module.hears(ENTER);
      await module.raw("68 55");
      assert.equal((await ir.passUntil(learning, 500)) >= 30_000, true);
      assert.equal(await learning, "未收到有效响应: 68 55");
    });

    it("believes no code with a wrong sum, and no code that is empty", async () => {
      const damaged = `${LEARNED.slice(0, -5)}3a 16`;
      for (const [mode, text] of [
        ["wrong-code-checksum", `未收到有效响应: ${damaged}`],
        ["no-code", "学习数据为空"],
      ] as const) {
        await module.mode(mode);
        const [learning, before] = [ir.failure("learn_external"), module.got.length];
        await until("the module learns", () => module.got.length > before);
        await module.press(CODE);
        assert.equal(await learning, text);
      }
      assert.deepEqual(module.got, [ENTER, EXIT, ENTER, EXIT]);
      assert.deepEqual(await readdir(ir.folder), []);
    });

    it("fails at once where the module refuses", async () => {
      await module.mode("busy");
      assert.equal(await ir.failure("learn_external"), "进入学习模式失败，状态码: 1");
    });

    it("has the port for itself: whoever else wants it is told so at once", async () => {
      const learning = ir.call("learn_external");
      await module.hears(ENTER);
      assert.equal(await ir.failure("learn_external"), "正在学习中，请勿重复调用");
      assert.equal(await ir.failure("send_hex", { hex: CODE }), "正在学习红外编码，请稍后再试");
      assert.equal(await ir.call("test_connection"), "串口连接失败: 正在学习红外编码，请稍后再试");
      assert.equal(((await ir.call("get_learning_result")) as { status: string }).status, "learning");
      await module.press(CODE);
      await learning;
      assert.deepEqual(module.got, [ENTER]);
    });

    it("waits for its turn behind codes that are being sent", async () => {
      const sending = ir.call("send_hex", { hex: CODE });
      const learning = ir.call("learn_external");
      await module.hears(ENTER);
      await module.press(CODE);
      await Promise.all([sending, learning]);
      assert.deepEqual(module.got, [sent(CODE), ENTER]);
    });

    it("tells the module to stop when its caller leaves, and lets go of the port", async () => {
      const stop = new LightAbort();
      const learning = ir.failure("learn_external", {}, { signal: stop });
      await module.hears(ENTER);
      stop.abort();
      assert.equal(await learning, "已取消");
      assert.deepEqual(module.got, [ENTER, EXIT]);
      assert.equal(await ir.call("send_hex", { hex: CODE }), `发送成功，设备回复: ${ACK}`);
      assert.equal(((await ir.call("get_learning_result")) as { status: string }).status, "error");
    });

    it("says so when the device is unplugged in the middle", async () => {
      const learning = ir.failure("learn_external", {}, { language: "en" });
      await module.hears(ENTER);
      await module.unplug();
      assert.equal(await learning, `The serial port ${module.port} was lost: the device was unplugged or switched off`);
    });

    it("does not even begin with a name that leads elsewhere", async () => {
      assert.match(await ir.failure("learn_external", { name: "../x" }), /不能作为编码名称/);
      assert.deepEqual(module.got, []);
    });
  });

  describe("in the background", () => {
    beforeEach(() => open(BACKGROUND));
    const result = async (): Promise<Record<string, unknown>> =>
      (await ir.call("get_learning_result")) as Record<string, unknown>;

    it("answers at once, and tells later what was learned", async () => {
      assert.deepEqual(await result(), { status: "idle", result: null, timestamp: 0, name: null });
      const message = "已进入后台学习模式。请在30秒内按下遥控器按键。";
      assert.deepEqual(await ir.call("learn_external"), { status: "started", message });
      await module.hears(ENTER);
      const { timestamp, ...state } = await result();
      assert.deepEqual(state, { status: "learning", result: null, name: null });
      assert.equal(Number(timestamp) > 1_700_000_000, true);
      const busy = { status: "busy", message: "正在学习中，请勿重复调用" };
      assert.deepEqual(await ir.call("learn_external", { name: "other" }), busy);
      await module.press(CODE);
      await untilOver();
      const { status, result: path, name } = await result();
      assert.deepEqual([status, path], ["success", join(ir.folder, `${name}.hex`)]);
      assert.equal(await readFile(String(path), "utf8"), CODE);
    });

    it("does not begin with a name that leads elsewhere, and says so at once", async () => {
      assert.match(await ir.failure("learn_external", { name: "../x" }), /不能作为编码名称/);
      assert.deepEqual(module.got, []);
    });

    it("names the name under which it will be saved", async () => {
      const { message } = (await ir.call("learn_external", { name: "tv", aliases: "a, b" })) as { message: string };
      assert.equal(message, "已进入后台学习模式。请在30秒内按下遥控器按键。 学习成功后将保存为 'tv'。");
      await module.hears(ENTER);
      await module.press(CODE);
      await untilOver();
      assert.equal((await result())["name"], "tv");
      assert.deepEqual(JSON.parse(await readFile(join(ir.folder, "codes_meta.json"), "utf8")), {
        tv: { aliases: ["a", "b"] },
      });
    });

    it("goes on when its caller has left", async () => {
      const stop = new LightAbort();
      await ir.call("learn_external", {}, { signal: stop });
      stop.abort();
      await module.hears(ENTER);
      await module.press(CODE);
      await untilOver();
      assert.equal((await result())["status"], "success");
    });

    it("tells a failure in the language of who asks", async () => {
      await ir.call("learn_external");
      await module.hears(ENTER);
      await module.unplug();
      await untilOver();
      const told = await ir.call("get_learning_result", {}, { language: "es" });
      assert.equal((await result())["result"], `串口 ${module.port} 已断开：设备被拔出或断电`);
      assert.match(String((told as { result: string }).result), /^Se perdió el puerto serie/);
    });

    it("ends when the ability is closed, and the module is told", async () => {
      await ir.call("learn_external");
      await module.hears(ENTER);
      await ir.close();
      assert.deepEqual(module.got, [ENTER, EXIT]);
      assert.equal((await result())["result"], "已取消");
    });

    async function untilOver(): Promise<void> {
      let status: unknown = "learning";
      void (async () => {
        for (; status === "learning"; await sleep(5)) status = (await result())["status"];
      })();
      await until("it is over", () => status !== "learning");
    }
  });
});
