/** A server with so many tools, in a process of its own: `node many-tools.ts COUNT`. Prints its address. */
import process from "node:process";
import { startManyTools } from "../../support/many-tools.ts";

const server = await startManyTools(Number(process.argv[2] ?? 2_000));
console.log(server.url);
