/** The thermometer: the service's file to the letter of the fork that reads it, and Linux's own sensors, as files of a folder. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { onBench } from "../../../test/support/ability-bench.ts";
import { LANGUAGES, type Language } from "../../messages/catalogue.ts";
import { makeEnvironment } from "./index.ts";

type Members = Readonly<Record<string, unknown>>;

const NOW = Date.parse("2026-07-01T13:45:12Z");
const SECONDS = NOW / 1_000;
const DATA = { timestamp: SECONDS - 30, humidity: 45, temperature: 24, unit: { humidity: "%", temperature: "°C" } };

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-environment-"));
  file = join(folder, "temperature_humidity.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the file of the service", () => {
  it("is passed on as it is, with its status", async () => {
    writeFileSync(file, `${JSON.stringify({ ...DATA, pin: 4 }, null, 2)}\n`);
    assert.deepEqual(Object.entries(await measure()), Object.entries({ ...DATA, pin: 4, service_status: "running" }));
  });

  const broken: readonly (readonly [string, string, RegExp | string])[] = [
    ["   \n", "no_data", "温度数据文件为空"],
    ['{"timestamp":1', "json_error", /^数据文件JSON格式错误: ./],
    ['{"timestamp":1,"humidity":2,"unit":{}}', "invalid_format", "数据文件格式错误，缺少字段: temperature"],
    ["[]", "invalid_format", "数据文件格式错误，缺少字段: timestamp"],
    ["null", "invalid_format", "数据文件格式错误，缺少字段: timestamp"],
    ['"humidity"', "invalid_format", "数据文件格式错误，缺少字段: timestamp"],
    [`{"timestamp":1,${" ".repeat(100_000)}`, "json_error", /^数据文件JSON格式错误: ./],
  ];
  for (const [content, status, error] of broken) {
    it(`${status} with ${JSON.stringify(content.slice(0, 40))}`, async () => {
      writeFileSync(file, content);
      const answer = await measure();
      assert.deepEqual(Object.keys(answer), ["error", "service_status"]);
      assert.equal(answer["service_status"], status);
      if (typeof error === "string") assert.equal(answer["error"], error);
      else assert.match(String(answer["error"]), error);
    });
  }

  it("that is missing means that the service is stopped", async () => {
    assert.deepEqual(await measure(), {
      error: `温度数据文件不存在: ${file}。请检查温度监控服务是否正在运行。`,
      service_status: "stopped",
    });
  });

  it("that may not be read says so", { skip: process.getuid?.() === 0 && "root may read everything" }, async () => {
    writeFileSync(file, "{}");
    chmodSync(file, 0);
    assert.deepEqual(await measure(), { error: `无法读取温度数据文件: ${file}`, service_status: "permission_denied" });
  });

  it("that is none cannot be read, and is not waited for", { skip: process.platform === "win32" }, async () => {
    mkdirSync(file);
    assert.deepEqual(await measure(), { error: "读取数据文件失败: EISDIR", service_status: "read_error" });
    rmSync(file, { recursive: true });
    execFileSync("mkfifo", [file]);
    assert.equal((await measure())["service_status"], "read_error");
  });

  it("that is old is told to be", async () => {
    writeFileSync(file, JSON.stringify({ ...DATA, timestamp: SECONDS - 301 }));
    assert.deepEqual(await measure(), {
      ...DATA,
      timestamp: SECONDS - 301,
      service_status: "stopped",
      stale: true,
      age_seconds: 301,
      warning: "数据是 5 分钟前测量的，温度监控服务可能已停止",
    });
    writeFileSync(file, JSON.stringify({ ...DATA, timestamp: SECONDS - 300 }));
    assert.equal((await measure())["service_status"], "running");
  });

  it("is told of in four languages", async () => {
    const errors = await Promise.all(LANGUAGES.map(async (language) => (await measure(language))["error"]));
    assert.equal(new Set(errors).size, 4);
  });
});

describe("a sensor of Linux", () => {
  const reading = (source: string, sensor: string, temperature: number | null, humidity: number | null) => ({
    timestamp: Math.floor(SECONDS),
    humidity,
    temperature,
    unit: { humidity: "%", temperature: "°C" },
    service_status: "running",
    source,
    sensor,
  });

  it("of Industrial I/O is read as it is", async () => {
    sys("bus/iio/devices/iio:device0", { name: "dht11@4", in_temp_input: 23_400, in_humidityrelative_input: 41_250 });
    assert.deepEqual(await measure(), reading("iio", "dht11@4", 23.4, 41.3));
  });

  it("of Industrial I/O is made out of its raw count, its offset and its scale", async () => {
    sys("bus/iio/devices/iio:device0", {
      name: "si7020",
      in_temp_raw: 6_200,
      in_temp_offset: "-4368",
      in_temp_scale: "10.725097656",
      in_humidityrelative_raw: 2_900,
      in_humidityrelative_offset: "-786",
      in_humidityrelative_scale: "19.073486328",
    });
    assert.deepEqual(await measure(), reading("iio", "si7020", 19.6, 40.3));
  });

  it("may be one of two that each know half", async () => {
    sys("bus/iio/devices/iio:device0", { name: "bmp280", in_temp_input: 21_000, in_pressure_input: "101.3" });
    sys("bus/iio/devices/iio:device1", { name: "hts221", in_humidityrelative_input: 55_000 });
    assert.deepEqual(await measure(), reading("iio", "bmp280, hts221", 21, 55));
  });

  it("that measures its own heat is no thermometer of the house", async () => {
    sys("bus/iio/devices/iio:device0", { name: "mpu6050", in_temp_raw: 100, in_temp_scale: 340, in_accel_x_raw: 1 });
    sys("bus/iio/devices/iio:device1", { name: "xadc", in_temp_raw: 100, in_temp_scale: 1, in_voltage0_vccint_raw: 1 });
    sys("class/hwmon/hwmon0", { name: "coretemp", temp1_input: 55_000, temp1_label: "Package id 0" });
    sys("class/hwmon/hwmon1", { name: "nvme", temp1_input: 40_000, temp1_label: "Composite" });
    assert.equal((await measure())["service_status"], "stopped");
  });

  it("of the hardware monitoring counts where it measures humidity too, or hangs in the air", async () => {
    sys("class/hwmon/hwmon0", { name: "coretemp", temp1_input: 55_000 });
    sys("class/hwmon/hwmon1", { name: "sht3x", temp1_input: 22_180, humidity1_input: 48_040 });
    assert.deepEqual(await measure(), reading("hwmon", "sht3x", 22.2, 48));
    rmSync(join(folder, "sys/class/hwmon/hwmon1"), { recursive: true });
    sys("class/hwmon/hwmon2", {
      name: "nct6798",
      temp1_input: 70_000,
      temp1_label: "CPUTIN",
      temp2_input: 24_000,
      temp2_label: "Ambient",
    });
    assert.deepEqual(await measure(), reading("hwmon", "nct6798: Ambient", 24, null));
  });

  it("stands behind the file, and before a file that is old", async () => {
    sys("bus/iio/devices/iio:device0", { name: "dht11", in_temp_input: 20_000, in_humidityrelative_input: 50_000 });
    writeFileSync(file, JSON.stringify(DATA));
    assert.equal((await measure())["temperature"], 24);
    writeFileSync(file, JSON.stringify({ ...DATA, timestamp: SECONDS - 3_600 }));
    assert.equal((await measure())["temperature"], 20);
    writeFileSync(file, "{");
    assert.deepEqual(await measure(), { ...reading("iio", "dht11", 20, 50), file_status: "json_error" });
  });

  it("of Industrial I/O stands before one of the hardware monitoring", async () => {
    sys("class/hwmon/hwmon1", { name: "sht3x", temp1_input: 22_180, humidity1_input: 48_040 });
    sys("bus/iio/devices/iio:device0", { name: "dht11", in_temp_input: 20_000 });
    assert.equal((await measure())["source"], "iio");
  });

  it("that says nothing of use says nothing", async () => {
    sys("bus/iio/devices/iio:device0", { name: "dht11", in_temp_input: "", in_humidityrelative_input: "nan" });
    sys("class/hwmon/hwmon1", { name: "sht3x", temp1_input: 990_000 });
    assert.equal((await measure())["service_status"], "stopped");
  });
});

it("is one tool without arguments, that only looks, described in four languages", async () => {
  const { open, definitions } = await onBench(makeEnvironment(), {});
  assert.deepEqual(
    definitions.map(({ name, inputSchema, annotations }) => [name, inputSchema, annotations]),
    [
      [
        "environment.get_temperature_humidity",
        { type: "object", properties: {}, required: [] },
        { readOnlyHint: true },
      ],
    ],
  );
  const [tool] = open.tools;
  assert.equal(new Set([tool?.description, ...Object.values(tool?.descriptions ?? {})]).size, 4);
  await open.close();
});

async function measure(language: Language = "zh"): Promise<Members> {
  const settings = { file, sysfs: join(folder, "sys") };
  const bench = await onBench(
    makeEnvironment(() => NOW),
    settings,
  );
  return await bench.call("environment.get_temperature_humidity", {}, language);
}

function sys(device: string, files: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(files)) {
    const path = join(folder, "sys", device, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${value}\n`);
  }
}
