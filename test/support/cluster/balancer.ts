/** HAProxy in front of several hubs, with the file of examples/cluster: each request goes to the next of them, without stickiness. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBalancer as start } from "../../../scripts/cluster/balancer.ts";
import { programPath } from "../proxy-programs.ts";

export interface Balancer {
  /** Which one it is, for the report. */
  readonly program: string;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

const PROGRAM = programPath("haproxy");

/** Why there is no balancer to test with; false where there is one. */
export const NO_BALANCER: string | false =
  PROGRAM === undefined && "HAProxy is not installed (Debian: apt-get install haproxy)";

/** The header of each answer that names the hub that gave it. */
export const NODE_HEADER = "x-answered-by";

/** @param nodes the ports of the hubs by their names */
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
