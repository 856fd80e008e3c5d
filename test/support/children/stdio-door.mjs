// Opens its own stdin and stdout, repeats every message, and prints where it must not.
import { openOwnStdio } from "../../../src/link/own-stdio.ts";

const link = openOwnStdio(
  { onMessage: answer, onNoise: (line) => process.stderr.write(`noise ${line.length}\n`) },
  { lineBytes: 2_000_000 },
);
// What was taken already is still answered; what comes after many turns was read meanwhile.
process.stdin.once("pause", async () => {
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
  process.stderr.write(`still paused: ${process.stdin.isPaused()}\n`);
});
console.log("console.log goes astray");
process.stdout.write("so does process.stdout\n");
await link.ended;
process.stderr.write("ended\n");
if (process.argv[2] === "late") await link.send("after the end");
await link.close();
process.stderr.write(`closed: ${(await link.closed).reason}\n`);

async function answer(message) {
  console.info("answering");
  if (message === "flood") await flood();
  else if (message === "burst") for (let i = 0; i < 8; i++) void link.send("z".repeat(500_000));
  else if (message.startsWith("large ")) await link.send("l".repeat(10_000));
  else await link.send(message).catch((error) => process.stderr.write(`refused: ${error.details.delivery}\n`));
}

async function flood() {
  const block = "y".repeat(500_000);
  let waited = false;
  for (let i = 0; i < 8; i++) {
    const sent = link.send(block);
    await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, 50, "waiting"))]).then((word) => {
      waited ||= word === "waiting";
    });
  }
  process.stderr.write(`waited: ${waited}\n`);
}
