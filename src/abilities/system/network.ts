/** How this machine reaches the network: over the interface of the default route, and if that is a radio, how well. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Asking, runWell } from "../shared/programs.ts";

export interface Network {
  readonly type: "wifi" | "ethernet" | "other";
  readonly interface: string;
  readonly ssid?: string | undefined;
  readonly signal?: Signal | undefined;
}

type Signal = "strong" | "medium" | "weak";

const ETHERNET = "1";

export async function readNetwork(sys: string, proc: string, asking: Asking): Promise<Network | undefined> {
  const name = defaultInterface(await readText(join(proc, "net/route")), await readText(join(proc, "net/ipv6_route")));
  if (name === undefined) return undefined;
  const folder = join(sys, "class/net", name);
  if (existsSync(join(folder, "wireless")) || existsSync(join(folder, "phy80211"))) {
    return { type: "wifi", interface: name, ...(await radio(name, proc, asking)) };
  }
  const isEthernet = (await readText(join(folder, "type"))).trim() === ETHERNET;
  return { type: isEthernet ? "ethernet" : "other", interface: name };
}

/** The best by metric; a route to everywhere has a destination of zeros. */
export function defaultInterface(routes: string, routes6: string): string | undefined {
  const four = rows(routes).flatMap(([name, to, , , , , metric, mask]) =>
    name && to === "00000000" && mask === "00000000" ? [{ name, metric: Number(metric) }] : [],
  );
  const six = rows(routes6).flatMap(([to = "", length, , , , metric, , , , name]) =>
    name && /^0{32}$/.test(to) && length === "00" && name !== "lo"
      ? [{ name, metric: Number.parseInt(metric ?? "0", 16) }]
      : [],
  );
  const best = (found: { name: string; metric: number }[]): string | undefined =>
    found.sort((a, b) => a.metric - b.metric)[0]?.name;
  return best(four) ?? best(six);
}

/** `iw` knows the network's name; the kernel's old table, where it still is, only the strength. */
async function radio(name: string, proc: string, asking: Asking): Promise<Pick<Network, "ssid" | "signal">> {
  const link = await runWell("iw", ["dev", name, "link"], asking).catch(() => undefined);
  if (link) return radioOf(link.stdout.toString());
  const table = await readText(join(proc, "net/wireless"));
  const level = table.split("\n").find((line) => line.trim().startsWith(`${name}:`));
  return { signal: signalOf(Number.parseFloat(level?.trim().split(/\s+/)[3] ?? "")) };
}

function radioOf(text: string): Pick<Network, "ssid" | "signal"> {
  const ssid = /^\s*SSID: (.+)$/m.exec(text)?.[1];
  return { ssid, signal: signalOf(Number(/^\s*signal: (-?\d+) dBm/m.exec(text)?.[1] ?? Number.NaN)) };
}

function signalOf(decibels: number): Signal | undefined {
  if (!Number.isFinite(decibels) || decibels >= 0) return undefined;
  if (decibels >= -60) return "strong";
  return decibels >= -70 ? "medium" : "weak";
}

function rows(table: string): string[][] {
  return table.split("\n").map((line) => line.trim().split(/\s+/));
}

async function readText(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}
