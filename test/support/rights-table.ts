/** The table of rights as the doors declare it, and as docs/rights.md shows it. */
import { RIGHTS, type Right } from "../../src/contract/operation.ts";
import type { DoorFactory } from "../../src/doors/door.ts";
import { DOORS } from "../../src/doors/index.ts";
import { openDoors } from "./open-doors.ts";

export interface RightRow {
  readonly door: string;
  /** `WS` where a WebSocket may begin. */
  readonly method: string;
  readonly path: string;
  readonly needs: Right;
}

/** Every route and every upgrade of every door on the HTTP port. */
export async function tableOfRights(): Promise<readonly RightRow[]> {
  const rows: RightRow[] = [];
  const noted = (factory: DoorFactory): DoorFactory => {
    return (context) => {
      const door = factory(context);
      const sockets = (door.upgrades ?? []).map(({ path, needs }) => ({ method: "WS", path, needs }));
      for (const { method, path, needs } of [...door.routes, ...sockets]) {
        rows.push({ door: door.name, method, path, needs });
      }
      return door;
    };
  };
  const doors = await openDoors(DOORS.map(noted));
  await doors.close();
  return rows;
}

const HEAD = `# Who may do what

Made from the doors' own declarations by \`npm run generate\`, and checked by \`npm run check\`. The same right stands in
\`/openapi.json\` as \`x-needs\`. It is asked for once, before a handler runs; which tools an agent or a limited key sees and
calls is decided behind that, tool by tool.

| right | who has it |
|---|---|`;

const TAIL = `
A key that is wrong or revoked has no right at all. Behind \`{agent}\` the caller is that agent: who may use everything may be
any, an agent only itself. On a WebSocket, a device whose key is not limited brings its own tools. What is no HTTP (our own
stdio, the line protocol on it, an endpoint that the hub dials) is the local user, or the agent that its settings name.

| method | path | needs |
|---|---|---|`;

export function shownRights(rows: readonly RightRow[]): string {
  const rights = Object.entries(RIGHTS).map(([right, who]) => `| \`${right}\` | ${who} |`);
  const routes = rows.map(({ method, path, needs }) => `| ${method} | \`${path}\` | \`${needs}\` |`);
  return `${[HEAD, ...rights, TAIL, ...routes].join("\n")}\n`;
}
