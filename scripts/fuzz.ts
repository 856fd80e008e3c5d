/**
 * Random tests with fresh seeds: every test file that makes its cases at random, and in the first round the short form of
 * the malformed messages and scenes of test/hard. The seed is printed before its round; ZAGUAN_SEED repeats one, here and
 * in `npm run scorecard -- --only 1`, which sends 100,000 messages to each door.
 *
 *   npm run test:fuzz                              twenty rounds (ZAGUAN_ROUNDS)
 *   ZAGUAN_SEED=1234 npm run test:fuzz             the one round with that seed
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import process from "node:process";

const REPEATED = process.env["ZAGUAN_SEED"];
const ROUNDS = REPEATED ? 1 : Number(process.env["ZAGUAN_ROUNDS"] ?? 20);
/** How many scenes the first round plays at each pair of door and source. */
const FIRST = ["test/hard/fuzz.test.ts", "test/hard/fidelity.test.ts"];
const AT_LENGTH = { ZAGUAN_RUNS: "100", ...process.env };

const random = globSync("{src,bench}/**/*.test.ts").filter((file) =>
  /support\/seed\.ts"/.test(readFileSync(file, "utf8")),
);

for (let round = 0; round < ROUNDS && !process.exitCode; round++) {
  const seed = REPEATED ?? String(randomInt(2 ** 31 - 1));
  console.log(`\nround ${round + 1} of ${ROUNDS}: ZAGUAN_SEED=${seed} npm run test:fuzz`);
  const files = round === 0 ? [...random, ...FIRST] : random;
  const args = ["--test", `--test-reporter=${round === 0 ? "spec" : "dot"}`, ...files];
  const env = { ...AT_LENGTH, ZAGUAN_SEED: seed };
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit", env }).status ?? 1;
}
