/** A server with as many tools as a test wants, for lists that do not fit into one page. */
import { StandIn } from "./registry-servers.ts";

/** One that is larger than a page of 8000 bytes by itself. */
export const LARGE_TOOL = "herramienta-grande";
const LARGE_DESCRIPTION = `大${"é".repeat(5_000)}`;

/** So many tools, of sizes that do not divide a page, with the large one in the middle. */
export async function startManyTools(count: number): Promise<StandIn> {
  const tools: object[] = Array.from({ length: count }, (_, place) => one(nameOf(place), describe(place)));
  tools.splice(Math.floor(count / 2), 0, one(LARGE_TOOL, LARGE_DESCRIPTION));
  return StandIn.start({ tools });
}

export function nameOf(place: number): string {
  return `herramienta-${String(place).padStart(3, "0")}`;
}

function describe(place: number): string {
  return `第${place}个工具 ${"x".repeat((place * 37) % 400)}`;
}

function one(name: string, description: string): object {
  const properties = { prompt: { type: "string" } };
  return { name, description, inputSchema: { type: "object", properties } };
}
