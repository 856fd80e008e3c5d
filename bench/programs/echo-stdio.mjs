/** The echo server on standard input and output: `node echo-stdio.mjs '{"era":"2025","tools":10}'`. */
import process from "node:process";
import { makeEcho } from "./echo.mjs";
import { eachLine } from "./lines.mjs";

const echo = makeEcho(JSON.parse(process.argv[2] ?? "{}"));
let out = "";

eachLine(
  process.stdin,
  (line) => {
    const answer = echo(line);
    if (answer !== undefined) out += `${answer}\n`;
  },
  // One write for all that came together.
  () => {
    if (out === "") return;
    process.stdout.write(out, "latin1");
    out = "";
  },
);
process.stdin.on("end", () => process.exit(0));
