/** HAProxy in front of several hubs with the file of examples/cluster: round robin per request, no stickiness. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBalancer as start } from "../../../scripts/cluster/balancer.ts";
import { programPath } from "../proxy-programs.ts";

export interface Balancer {
  /** Program and version, for the report. */
  readonly program: string;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

const PROGRAM = programPath("haproxy");

/** The reason why tests with a balancer are skipped; false if HAProxy is installed. */
export const NO_BALANCER: string | false =
  PROGRAM === undefined && "HAProxy is not installed (Debian: apt-get install haproxy)";

/** The response header that names the hub that answered. */
export const NODE_HEADER = "x-answered-by";

/** @param nodes the ports of the hubs, by name */
export async function startBalancer(port: number, nodes: ReadonlyMap<string, number>): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-balancer-"));
  const { stop } = await start("haproxy", { port, nodes, folder, nodeHeader: NODE_HEADER });
  return {
    program: `HAProxy ${versionOf()}`,
    port,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function versionOf(): string {
  const { stdout } = spawnSync(PROGRAM ?? "", ["-v"], { encoding: "utf8" });
  return /version (\d+\.\d+)/.exec(stdout)?.[1] ?? "";
}
