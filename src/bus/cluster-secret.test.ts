/** The cluster's secret: where it is read, which ones are refused, and what is derived from it. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BusError } from "./bus-error.ts";
import { ClusterSecret, parseSecrets, readClusterSecrets } from "./cluster-secret.ts";

const GOOD = "Zq3vT8mK1xR6wB9nD4sF7hJ2pL5cY0gA";
const OTHER = "b7d2f0c94e8a1635720fd9ce48ab136c5e02f7d8";

describe("a secret", () => {
  it("of 32 random characters and more is taken", () => {
    for (const secret of [GOOD, OTHER, "correct horse battery staple lamp river"]) {
      assert.equal(parseSecrets(secret, "it").length, 1, secret);
    }
  });

  const weak: readonly (readonly [string, RegExp])[] = [
    ["", /holds no secret/],
    [" \n ", /holds no secret/],
    ["short", /too short \(5 characters\)/],
    [GOOD.slice(1), /too short \(31 characters\)/],
    ["a".repeat(64), /too few different/],
    ["0123456789".repeat(4), /repeats itself|sequence/],
    [GOOD.slice(0, 16).repeat(2), /repeats itself/],
    ["abcdefghijklmnopqrstuvwxyz0123456789", /sequence/],
    ["zyxwvutsrqponmlkjihgfedcba9876543210", /sequence/],
    [`${GOOD}\n${OTHER}\n${GOOD}`, /holds 3 secrets/],
    [`${GOOD},short`, /too short/],
  ];
  for (const [secret, reason] of weak) {
    it(`such as ${JSON.stringify(secret.slice(0, 12))} is refused in one line: ${reason.source}`, () => {
      const error = refusalOf(() => parseSecrets(secret, "ZAGUAN_CLUSTER_SECRET"));
      assert.match(error.message, reason);
      assert.doesNotMatch(error.message, /\n/);
      if (secret.length > 5) assert.ok(!error.message.includes(secret.slice(0, 10)), "the secret is repeated");
    });
  }

  it("may have a previous one behind it, on a line of its own or after a comma", () => {
    for (const text of [`${GOOD}\n${OTHER}\n`, `${GOOD}, ${OTHER}`]) assert.equal(parseSecrets(text, "it").length, 2);
  });
});

describe("keys", () => {
  const boot = Buffer.alloc(16, 7).toString("base64url");
  const key = (secret: string, prefix: string, node: string, life = boot): string =>
    new ClusterSecret(secret).keyOf(prefix, node, life).export().toString("hex");

  it("are the same for the same, and others for another secret, cluster, node or life", () => {
    assert.equal(key(GOOD, "a", "n"), key(GOOD, "a", "n"));
    const others = [
      key(OTHER, "a", "n"),
      key(GOOD, "b", "n"),
      key(GOOD, "a", "m"),
      key(GOOD, "a", "n", Buffer.alloc(16, 8).toString("base64url")),
    ];
    assert.equal(new Set([key(GOOD, "a", "n"), ...others]).size, 5);
  });
});

describe("the place of the secret", () => {
  it("is the environment, before any file", async () => {
    assert.equal((await readClusterSecrets({ env: GOOD, file: "/nowhere" })).length, 1);
  });

  it("is a file that only its owner may read", { skip: process.platform === "win32" }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-secret-"));
    const file = join(folder, "cluster-secret");
    try {
      writeFileSync(file, `${GOOD}\n${OTHER}\n`, { mode: 0o600 });
      assert.equal((await readClusterSecrets({ env: "", file })).length, 2);
      chmodSync(file, 0o640);
      await assert.rejects(readClusterSecrets({ env: undefined, file }), /chmod 600 cluster-secret/);
      chmodSync(file, 0o600);
      writeFileSync(file, "x".repeat(5_000));
      await assert.rejects(readClusterSecrets({ env: undefined, file }), /too large/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("that does not exist, or was not named, is told", async () => {
    await assert.rejects(readClusterSecrets({ env: undefined, file: "/nowhere/secret" }), /secret, cannot be read/);
    await assert.rejects(readClusterSecrets({ env: undefined, file: undefined }), /ZAGUAN_CLUSTER_SECRET/);
  });
});

function refusalOf(act: () => unknown): BusError {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof BusError && error.kind === "secret");
    return error;
  }
  throw new Error("was taken");
}
