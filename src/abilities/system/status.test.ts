import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { abilityContext, callTool, standIn, writeFiles } from "../../../test/support/abilities/open-ability.ts";
import { openSystem } from "./index.ts";
import { defaultInterface } from "./readings.ts";

const root = mkdtempSync(join(tmpdir(), "status-"));
const ROUTE_HEAD = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n";

describe("the state of this machine", () => {
  after(() => rmSync(root, { recursive: true }));

  it("has battery, network and temperature of a laptop on the air", async () => {
    const status = await statusOf({
      "sys/class/power_supply/AC/type": "Mains\n",
      "sys/class/power_supply/BAT0/type": "Battery\n",
      "sys/class/power_supply/BAT0/capacity": "83\n",
      "sys/class/power_supply/BAT0/status": "Charging\n",
      "sys/class/power_supply/A-mouse/type": "Battery\n",
      "sys/class/power_supply/A-mouse/scope": "Device\n",
      "sys/class/power_supply/A-mouse/capacity": "5\n",
      "sys/class/thermal/thermal_zone0/type": "acpitz\n",
      "sys/class/thermal/thermal_zone0/temp": "27800\n",
      "sys/class/thermal/thermal_zone1/type": "x86_pkg_temp\n",
      "sys/class/thermal/thermal_zone1/temp": "51250\n",
      "sys/class/net/wlan0/wireless/x": "",
      "proc/net/route": `${ROUTE_HEAD}wlan0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n`,
      "proc/net/wireless": "Inter-| sta\n face | tus\n wlan0: 0000   52.  -58.  -256        0\n",
    });
    assert.deepEqual(status["battery"], { level: 83, charging: true });
    assert.deepEqual(status["chip"], { temperature: 51.3 });
    assert.deepEqual(status["network"], { type: "wifi", interface: "wlan0", signal: "strong" });
  });

  it("knows the name of the wireless network where iw is there", async () => {
    const folder = mkdtempSync(join(root, "iw-"));
    const said = "Connected to aa:bb (on wlan0)\\n\\tSSID: casa nº 3\\n\\tfreq: 5180\\n\\tsignal: -66 dBm\\n";
    const bin = standIn(folder, "iw", `[ "$*" = "dev wlan0 link" ] && printf '${said}'`);
    const files = {
      "sys/class/net/wlan0/phy80211/x": "",
      "proc/net/route": `${ROUTE_HEAD}wlan0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n`,
    };
    const status = await statusOf(files, bin);
    assert.deepEqual(status["network"], { type: "wifi", interface: "wlan0", ssid: "casa nº 3", signal: "medium" });
  });

  it("takes the temperature from a sensor where there is no zone, and believes no impossible one", async () => {
    const sensor = { "sys/class/hwmon/hwmon0/name": "nvme\n", "sys/class/hwmon/hwmon0/temp1_input": "30000\n" };
    const cpu = { "sys/class/hwmon/hwmon1/name": "k10temp\n", "sys/class/hwmon/hwmon1/temp1_input": "44000\n" };
    assert.deepEqual((await statusOf({ ...sensor, ...cpu }))["chip"], { temperature: 44 });
    assert.equal("chip" in (await statusOf(sensor)), false);
    assert.equal("chip" in (await statusOf({ ...cpu, "sys/class/hwmon/hwmon1/temp1_input": "0\n" })), false);
  });

  it("has nothing of what a machine has not, and real figures of the rest", async () => {
    const status = await statusOf({});
    const expected = ["load", "memory", "uptime_seconds"].filter((k) => k !== "load" || process.platform !== "win32");
    assert.deepEqual(Object.keys(status), expected);
    const { total_mb, available_mb } = status["memory"] as Record<string, number>;
    assert.equal(total_mb, Math.round(totalmem() / 1_048_576));
    assert.ok((available_mb as number) > 0 && (available_mb as number) <= (total_mb as number));
    assert.ok((status["uptime_seconds"] as number) > 0);
  });

  it("can be asked of the machine that runs this test", async () => {
    const ability = openSystem({}, abilityContext(process.env));
    const status = (await callTool(ability, "self.get_device_status")) as Record<string, unknown>;
    assert.ok((status["uptime_seconds"] as number) > 0);
  });
});

describe("the interface of the default route", () => {
  const wired = "eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n";
  const air = "wlan0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n";
  const local = "eth0\t0002A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n";
  const zeros = "0".repeat(32);

  it("is the one with the smallest metric", () => assert.equal(defaultInterface(ROUTE_HEAD + air + wired, ""), "eth0"));
  it("is none where only neighbours are reached", () =>
    assert.equal(defaultInterface(ROUTE_HEAD + local, ""), undefined));
  it("is found where only IPv6 is spoken", () => {
    const six = `${zeros} 00 ${zeros} 00 fe80${"0".repeat(28)} 00000064 00000001 00000000 00000003     eth1\n`;
    const loop = `${zeros} 00 ${zeros} 00 ${zeros} ffffffff 00000001 00000000 00200200       lo\n`;
    assert.equal(defaultInterface("", loop + six), "eth1");
    assert.equal(defaultInterface("", loop), undefined);
  });
});

async function statusOf(files: Readonly<Record<string, string>>, path = "/nowhere"): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(root, "m-"));
  writeFiles(folder, files);
  const machine = { sys: join(folder, "sys"), proc: join(folder, "proc") };
  const ability = openSystem({}, abilityContext({ PATH: path }), machine);
  return JSON.parse(JSON.stringify(await callTool(ability, "self.get_device_status")));
}
