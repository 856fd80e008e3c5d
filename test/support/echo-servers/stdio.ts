/** The echo server on standard input and output: `node stdio.ts NAME REVISION`. One message per line, cut in two writes. */
import { stdin, stdout } from "node:process";
import { makeEcho, type Revision } from "./echo.ts";

const [, , name = "echo", revision = "2025-11-25"] = process.argv;
const echo = makeEcho(name, revision as Revision);
let rest = "";

stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void answer(line);
});

async function answer(line: string): Promise<void> {
  const answered = await echo.answer(line);
  if (!answered) return;
  const bytes = Buffer.from(`${answered.text.replace(/[\r\n]+/g, " ")}\n`);
  const half = bytes.length >> 1;
  stdout.write(bytes.subarray(0, half));
  stdout.write(bytes.subarray(half));
}
