import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { noModule, SimulatedModule } from "../../../test/support/infrared/module.ts";
import { OpenInfrared } from "../../../test/support/infrared/open-infrared.ts";
import { ACK, CODE, LONG_CODE, REFUSAL, sent } from "../../../test/support/infrared/vectors.ts";
import { LightAbort } from "../../light-abort.ts";
import { openSerialPort } from "../../link/serial-port.ts";
import { LANGUAGES } from "../../messages/catalogue.ts";

describe("sending infrared over a serial line", { skip: noModule }, () => {
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

  it("sends a saved code as it stands in its file, and tells what the module replied", async () => {
    await writeFile(join(ir.folder, "tv_power.hex"), `${CODE.toUpperCase().replaceAll(" ", "\n")}\n`);
    assert.equal(await ir.call("send_named", { name: " tv_power " }), `发送成功，设备回复: ${ACK}`);
    assert.deepEqual(module.got, [sent(CODE)]);
  });

  it("sends hexadecimal bytes", async () => {
    assert.equal(await ir.call("send_hex", { hex: LONG_CODE.replaceAll(" ", "") }), `发送成功，设备回复: ${ACK}`);
    assert.deepEqual(module.got, [sent(LONG_CODE)]);
  });

  it("says it in the caller's language", async () => {
    const texts = [];
    for (const language of LANGUAGES) texts.push(await ir.call("send_hex", { hex: CODE }, { language }));
    assert.deepEqual(texts, [
      `Sent; the device replied: ${ACK}`,
      `Enviado; el dispositivo respondió: ${ACK}`,
      `Envoyé\u00a0; l'appareil a répondu\u00a0: ${ACK}`,
      `发送成功，设备回复: ${ACK}`,
    ]);
  });

  it("succeeds without a reply, after two seconds", async () => {
    await module.mode("silent");
    const sending = ir.call("send_hex", { hex: CODE });
    await module.hears(sent(CODE));
    const tookMs = await ir.passUntil(sending);
    assert.equal(tookMs >= 2_000 && tookMs <= 2_300, true, `${tookMs} ms`);
    assert.equal(await sending, "发送成功（无回复）");
  });

  it("finds the reply behind noise, and a byte at a time", async () => {
    for (const mode of ["garbage-first", "slow"] as const) {
      await module.mode(mode);
      assert.equal(await ir.call("send_hex", { hex: CODE }), `发送成功，设备回复: ${ACK}`);
    }
  });

  it("finds the reply behind the beginning of a frame that never ends", async () => {
    await module.mode("silent");
    const sending = ir.call("send_hex", { hex: CODE });
    await module.hears(sent(CODE));
    await module.raw(`68 40 00 ${ACK}`);
    assert.equal((await ir.passUntil(sending)) < 1_000, true);
    assert.equal(await sending, `发送成功，设备回复: ${ACK}`);
  });

  it("believes no reply with a wrong sum", async () => {
    await module.mode("wrong-checksum");
    const sending = ir.failure("send_hex", { hex: CODE });
    await module.answers("68 08 00 00 01 00 02 16");
    await ir.passUntil(sending);
    assert.equal(await sending, "设备回复已损坏: 68 08 00 00 01 00 02 16。编码可能已发送");
  });

  it("fails where the module refuses", async () => {
    await module.mode("busy");
    assert.equal(await ir.failure("send_hex", { hex: CODE }), `模块拒绝了该编码或正忙，设备回复: ${REFUSAL}`);
  });

  it("refuses what is no code before it opens the port", async () => {
    assert.equal(await ir.failure("send_named", { name: " " }), "缺少参数 name");
    assert.equal(await ir.failure("send_hex", { hex: "" }), "缺少参数 hex");
    assert.equal(await ir.failure("send_hex", { hex: "b7 0" }), "无效的十六进制数据");
    assert.equal(await ir.failure("send_named", { name: "x" }), `未找到红外文件: ${join(ir.folder, "x.hex")}`);
    assert.match(await ir.failure("send_named", { name: "../x" }), /^'\.\.\/x' 不能作为编码名称/);
    assert.equal(await ir.failure("send_hex", { hex: "01".repeat(801) }), "编码有 801 字节，模块最多接受 800 字节");
    assert.deepEqual(module.got, []);
  });

  it("sends many codes that are asked for at once, one after the other", async () => {
    const codes = ["01", "02", "03", "04", "05"];
    const answers = await Promise.all(codes.map((hex) => ir.call("send_hex", { hex })));
    assert.deepEqual(new Set(answers), new Set([`发送成功，设备回复: ${ACK}`]));
    assert.deepEqual(module.got, codes.map(sent));
  });

  it("stops when its caller leaves, and the next one has its turn", async () => {
    await module.mode("silent");
    const stop = new LightAbort();
    const [first, second] = [
      ir.failure("send_hex", { hex: "01" }, { signal: stop }),
      ir.call("send_hex", { hex: "02" }),
    ];
    await module.hears(sent("01"));
    await module.mode("normal");
    stop.abort();
    assert.equal(await first, "已取消");
    assert.equal(await second, `发送成功，设备回复: ${ACK}`);
  });

  it("says so when the device is unplugged in the middle", async () => {
    await module.mode("silent");
    const sending = ir.failure("send_hex", { hex: CODE });
    await module.hears(sent(CODE));
    await module.unplug();
    assert.equal(await sending, `串口 ${module.port} 已断开：设备被拔出或断电`);
  });

  it("says so when the line takes nothing", async () => {
    await module.mode("deaf");
    const port = await openSerialPort({ port: module.port, baud: 115_200 });
    // The kernel makes room once more after it has first said that it is full.
    let patience = 50;
    await assert.rejects(port.write(Buffer.alloc(1_000_000), () => --patience === 0));
    await port.close();
    const sending = ir.failure("send_hex", { hex: CODE });
    await ir.passUntil(sending);
    assert.equal(await sending, `串口 ${module.port} 不接收数据`);
  });
});
