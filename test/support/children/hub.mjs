// Opens three children, each with a grandchild that ignores signals and lost its marker, and one that left its group;
// tells all their numbers and then waits to be killed. With "replaced" its undertaker has been killed and replaced.
import { openChildLink } from "../../../src/link/child-process.ts";
import { undertakerPid } from "../../../src/link/undertaker.ts";

const CHILD = `
trap '' TERM
env -i /bin/sh -c 'trap "" TERM HUP; echo $$; while :; do /bin/sleep 1; done' &
"$0" "$1" &
while :; do sleep 1; done
`;
const daemon = new URL("./daemon.mjs", import.meta.url).pathname;
const seen = [];
const children = await Promise.all([start(), start(), start()]);
if (process.argv[2] === "replaced") await replaceUndertaker();
for (const child of children) tell(child.pid);

function start() {
  const options = { command: "sh", args: ["-c", CHILD, process.execPath, daemon], env: {}, lineBytes: 1000, name: "s" };
  return openChildLink(options, { onMessage: (line) => tell(Number(line)) });
}

async function replaceUndertaker() {
  const killed = undertakerPid();
  process.kill(killed, "SIGKILL");
  while (undertakerPid() === killed) await new Promise((resolve) => setTimeout(resolve, 10));
  const options = { command: "cat", args: [], env: {}, lineBytes: 1000, name: "s" };
  await openChildLink(options, { onMessage: () => {} });
}

function tell(pid) {
  seen.push(pid);
  if (seen.length === 9) process.stdout.write(`${JSON.stringify({ pids: seen, undertaker: undertakerPid() })}\n`);
}
