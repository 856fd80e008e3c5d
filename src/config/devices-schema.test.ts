import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkFileForm } from "./schema.ts";

const FOLDER = "/home/ana";

function devicesOf(devices: object) {
  const checked = checkFileForm({ devices }, FOLDER);
  assert.ok("config" in checked, JSON.stringify(checked));
  return checked.config.devices;
}

function problemsOf(file: object): string[] {
  const checked = checkFileForm(file, FOLDER);
  return "problems" in checked ? checked.problems.map(({ path, text }) => `${path}: ${text}`) : [];
}

describe("this machine's abilities", () => {
  it("are all off until they are named", () => {
    assert.deepEqual(devicesOf({}).abilities, {});
    assert.deepEqual(devicesOf({ calendar: false }).abilities, {});
    assert.equal(devicesOf({}).tools, undefined);
  });

  it("are on with true, with what is usual", () => {
    assert.deepEqual(devicesOf({ timers: true, infrared: true }).abilities, {
      timers: {},
      infrared: { folder: join(FOLDER, "ir_codes") },
    });
  });

  it("have settings, whose folders are meant from the folder of the file", () => {
    const { abilities, tools } = devicesOf({
      tools: "./mine",
      music: { folder: "songs", player: "mpv", args: ["--ao=null"] },
      system: { allowKill: true },
      infrared: { port: "/dev/ttyUSB0", folder: "/srv/ir" },
    });
    assert.equal(tools, join(FOLDER, "mine"));
    assert.deepEqual(abilities, {
      music: { folder: join(FOLDER, "songs"), player: "mpv", args: ["--ao=null"] },
      system: { allowKill: true },
      infrared: { port: "/dev/ttyUSB0", folder: "/srv/ir" },
    });
  });

  it("are refused by the name of what is wrong", () => {
    for (const [devices, path] of [
      [{ calender: true }, "devices.calender"],
      [{ music: { foldr: "x" } }, "devices.music"],
      [{ calendar: { timeZone: "Mars/Base" } }, "devices.calendar"],
      [{ infrared: { baud: 0 } }, "devices.infrared"],
      [{ tools: "" }, "devices.tools"],
    ] as const) {
      assert.ok(
        problemsOf({ devices }).some((problem) => problem.startsWith(path)),
        `${path}: ${problemsOf({ devices })}`,
      );
    }
  });

  it("share their names with nobody", () => {
    const mcpServers = { calendar: { command: "x" }, tools: { command: "x" } };
    assert.deepEqual(problemsOf({ mcpServers, devices: { calendar: true, tools: "./t", timers: true } }), [
      'devices.calendar: there is a server, house or API "calendar" already',
      'devices.tools: there is a server, house or API "tools" already',
    ]);
  });
});
