/** Secrets at rest: who has the key and the right record opens them, and nobody else. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { type KeyRing, openSecrets, type Secrets } from "./secrets.ts";

const onWindows = process.platform === "win32";
const CREDENTIALS = { token: "salón 客厅 🏠", headers: { "X-Key": "hush" }, none: null, list: [1, 2.5, true] };
const UNOPENED = { name: "TypeError", message: /^A stored secret cannot be opened/ };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-secrets-"));
  file = join(folder, "data", "secret.key");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a sealed value", () => {
  let secrets: Secrets;
  beforeEach(async () => {
    secrets = await withKey(randomBytes(32));
  });

  it("opens to the same JSON value", () => {
    for (const value of [CREDENTIALS, "", "text", 0, null, false, [], {}, JSON.parse('{"__proto__": 1}')]) {
      assert.deepEqual(secrets.open(secrets.seal(value, "server:1"), "server:1"), value);
    }
  });

  it("shows nothing of what is in it, and is another one each time", () => {
    const all = Array.from({ length: 100 }, () => secrets.seal(CREDENTIALS, "server:1"));
    assert.equal(new Set(all).size, 100);
    for (const sealed of all) {
      assert.match(sealed, /^v1\.[A-Za-z0-9_-]+$/);
      assert.doesNotMatch(Buffer.from(sealed.slice(3), "base64url").toString("latin1"), /hush|X-Key|token/);
    }
  });

  it("opens for its own record only", () => {
    const sealed = secrets.seal(CREDENTIALS, "server:1");
    for (const context of ["server:2", "server:", "", "server:1 ", "SERVER:1"]) {
      assert.throws(() => secrets.open(sealed, context), UNOPENED, context);
    }
  });

  it("opens with its own key only, and the refusal tells neither key nor secret", async () => {
    const key = randomBytes(32);
    const sealed = (await withKey(key)).seal(CREDENTIALS, "server:1");
    assert.throws(
      () => secrets.open(sealed, "server:1"),
      (error) => {
        const shown = inspect(error, { depth: 9, showHidden: true });
        assert.doesNotMatch(shown, /hush/);
        assert.ok(!shown.includes(sealed) && !shown.includes(key.toString("base64")));
        return error instanceof TypeError && UNOPENED.message.test(error.message);
      },
    );
  });

  it("does not open once any bit of it was changed", () => {
    const sealed = secrets.seal({ a: 1 }, "server:1");
    const bytes = Buffer.from(sealed.slice(3), "base64url");
    for (let index = 0; index < bytes.length * 8; index++) {
      const changed = Buffer.from(bytes);
      changed[index >> 3] = (changed[index >> 3] ?? 0) ^ (1 << (index & 7));
      assert.throws(() => secrets.open(`v1.${changed.toString("base64url")}`, "server:1"), UNOPENED);
    }
  });

  it("does not open if it is cut, longer, of another version or no sealed value at all", () => {
    const sealed = secrets.seal({ a: 1 }, "server:1");
    const cuts = Array.from({ length: sealed.length }, (_, length) => sealed.slice(0, length));
    for (const bad of [...cuts, `${sealed}AAAA`, sealed.replace("v1.", "v2."), sealed.slice(3), "v1.!!!", "{}"]) {
      assert.throws(() => secrets.open(bad, "server:1"), UNOPENED, bad);
    }
  });

  it("is not made of what is no JSON value", () => {
    for (const bad of [undefined, () => 1, 1n]) assert.throws(() => secrets.seal(bad, "server:1"), TypeError);
  });

  it("does not show the key when its holder is looked at", async () => {
    const key = randomBytes(32);
    const shown = inspect(await withKey(key), { depth: 9, showHidden: true });
    assert.ok(!shown.includes(key.toString("hex")) && !shown.includes(inspect(key).slice(8, 40)));
  });
});

describe("the key from the environment", () => {
  it("may be spelled as base64, with or without padding or URL-safe, and as hexadecimal digits", async () => {
    const key = Buffer.alloc(32, 0xfb);
    const sealed = (await withKey(key)).seal(CREDENTIALS, "a");
    const hex = key.toString("hex");
    const spellings = [key.toString("base64").replace("=", ""), key.toString("base64url"), hex, hex.toUpperCase()];
    for (const env of [...spellings, ` ${hex}\n`]) {
      assert.deepEqual((await openSecrets({ env, file })).open(sealed, "a"), CREDENTIALS, env);
    }
  });

  it("makes no file", async () => {
    await withKey(randomBytes(32));
    assert.deepEqual(readdirSync(folder), []);
  });

  it("is refused in one clear sentence, which does not repeat it, if it is no key", async () => {
    const wrong = ["hunter2", " ", randomBytes(31).toString("hex"), randomBytes(33).toString("base64")];
    for (const env of [...wrong, `${"é".repeat(43)}=`, "x".repeat(64)]) {
      await assert.rejects(openSecrets({ env, file }), (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^ZAGUAN_SECRET_KEY does not hold a key: it must be 32 random bytes/);
        return env === " " || !inspect(error).includes(env);
      });
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  it("counts as not set if it is empty, as container files leave it", async () => {
    const sealed = (await openSecrets({ env: "", file })).seal(1, "a");
    assert.equal((await openSecrets({ env: undefined, file })).open(sealed, "a"), 1);
  });
});

describe("several keys", () => {
  const [older, newer, other] = [randomBytes(32), randomBytes(32), randomBytes(32)].map((key) =>
    key.toString("base64"),
  );
  const given = (...keys: readonly (string | undefined)[]): Promise<KeyRing> =>
    openSecrets({ env: keys.join(", "), file });

  it("all open, and the first seals", async () => {
    const before = (await given(older)).seal(CREDENTIALS, "a");
    const both = await given(newer, older);
    assert.deepEqual(both.open(before, "a"), CREDENTIALS);
    const after = both.seal(CREDENTIALS, "a");
    assert.deepEqual((await given(newer)).open(after, "a"), CREDENTIALS);
    const onlyOlder = await given(older);
    assert.throws(() => onlyOlder.open(after, "a"), UNOPENED);
    const strangers = await given(other, other);
    assert.throws(() => strangers.open(before, "a"), UNOPENED);
  });

  it("seal anew what was sealed with an older one, and leave alone what was not", async () => {
    const before = (await given(older)).seal(CREDENTIALS, "a");
    const both = await given(newer, older);
    const after = both.reseal(before, "a");
    assert.notEqual(after, before);
    assert.deepEqual((await given(newer)).open(after, "a"), CREDENTIALS);
    assert.equal(both.reseal(after, "a"), after);
    assert.throws(() => both.reseal(before, "b"), UNOPENED);
    const strangers = await given(other, newer);
    assert.throws(() => strangers.reseal(before, "a"), UNOPENED);
  });

  it("stand one a line in the file", async () => {
    const before = (await openSecrets({ env: undefined, file })).seal(1, "a");
    writeFileSync(file, `${newer}\r\n${readFileSync(file, "utf8")}\n`);
    const both = await openSecrets({ env: undefined, file });
    assert.equal(both.open(before, "a"), 1);
    assert.equal((await given(newer)).open(both.seal(2, "a"), "a"), 2);
  });

  it("are refused if one of them is none", async () => {
    await assert.rejects(given(newer, "hunter2"), {
      name: "TypeError",
      message: /^ZAGUAN_SECRET_KEY does not hold a key/,
    });
  });
});

describe("keys that are derived from something else", () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];

  it("make no file, and stand behind the environment", async () => {
    const secrets = await openSecrets({ env: undefined, derived: [first, second], file });
    assert.equal((await withKey(first)).open(secrets.seal(1, "a"), "a"), 1);
    assert.equal(secrets.open((await withKey(second)).seal(2, "a"), "a"), 2);
    assert.deepEqual(readdirSync(folder), []);
    const environment = await openSecrets({ env: second.toString("hex"), derived: [first], file });
    assert.equal((await withKey(second)).open(environment.seal(3, "a"), "a"), 3);
  });

  it("open beside them what the key in the file has sealed", async () => {
    const before = (await openSecrets({ env: undefined, file })).seal(CREDENTIALS, "a");
    const secrets = await openSecrets({ env: undefined, derived: [first], file });
    assert.deepEqual((await withKey(first)).open(secrets.reseal(before, "a"), "a"), CREDENTIALS);
  });
});

describe("the key in a file", () => {
  const opened = (): Promise<Secrets> => openSecrets({ env: undefined, file });

  it("is made once, and opens later what was sealed before", async () => {
    const sealed = (await opened()).seal(CREDENTIALS, "server:1");
    const before = readFileSync(file, "utf8");
    assert.deepEqual((await opened()).open(sealed, "server:1"), CREDENTIALS);
    assert.equal(readFileSync(file, "utf8"), before);
    assert.equal(Buffer.from(before, "base64").length, 32);
    assert.deepEqual(readdirSync(join(folder, "data")), ["secret.key"]);
  });

  it("is another one in every place", async () => {
    const sealed = (await opened()).seal(1, "a");
    const other = await openSecrets({ env: undefined, file: join(folder, "other", "secret.key") });
    assert.throws(() => other.open(sealed, "a"), UNOPENED);
  });

  it("is for its owner only, and so is a folder made for it, whatever the umask", { skip: onWindows }, async () => {
    const before = process.umask(0);
    try {
      await opened();
      assert.deepEqual([mode(file), mode(join(folder, "data"))], ["600", "700"]);
    } finally {
      process.umask(before);
    }
  });

  it("is refused while anybody else may read or write it", { skip: onWindows }, async () => {
    await opened();
    for (const open of [0o640, 0o604, 0o620, 0o602, 0o644, 0o666]) {
      chmodSync(file, open);
      await assert.rejects(opened(), refusal(/^secret\.key may be read or written by others .*chmod 600/));
    }
    chmodSync(file, 0o400);
    await opened();
  });

  it("is refused if it is no key, and left as it is", async () => {
    await opened();
    for (const content of ["", "not a key", "A".repeat(10_000)]) {
      writeFileSync(file, content);
      await assert.rejects(opened(), refusal(/^secret\.key does not hold a key: /));
      assert.equal(readFileSync(file, "utf8"), content);
    }
  });

  it("cannot be where no file can be, and the refusal says why", async () => {
    writeFileSync(join(folder, "data"), "a file in the place of the folder");
    await assert.rejects(opened(), refusal(/^The key in secret\.key cannot be read or made: E[A-Z]+$/));
  });

  it("is the same for all that ask at once in one process", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, opened));
    assertSameKey(
      all.map((secrets) => secrets.seal(1, "a")),
      all[0] as Secrets,
    );
    assert.deepEqual(readdirSync(join(folder, "data")), ["secret.key"]);
  });

  it("is the same for processes that start at once", { timeout: 60_000 }, async () => {
    const starters = Array.from({ length: 6 }, () => startProcess(file));
    await Promise.all(starters.map((starter) => starter.ready));
    assert.ok(!existsSync(file));
    for (const starter of starters) starter.go();
    const sealed = await Promise.all(starters.map((starter) => starter.sealed));
    assertSameKey(sealed, await opened());
    assert.deepEqual(readdirSync(join(folder, "data")), ["secret.key"]);
  });
});

function withKey(key: Buffer): Promise<Secrets> {
  return openSecrets({ env: key.toString("base64"), file });
}

function assertSameKey(sealed: readonly string[], secrets: Secrets): void {
  assert.deepEqual(
    sealed.map((each) => secrets.open(each, "a")),
    sealed.map(() => 1),
  );
}

interface Starter {
  readonly ready: Promise<unknown>;
  go(): void;
  readonly sealed: Promise<string>;
}

/** Loads everything, says so, and opens the secrets when its stdin ends: so all of them begin at the same moment. */
function startProcess(file: string): Starter {
  const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, "secrets.ts")).href);
  const script = `
    const { openSecrets } = await import(${module});
    process.stderr.write("ready");
    for await (const _ of process.stdin);
    process.stdout.write((await openSecrets({ env: undefined, file: ${JSON.stringify(file)} })).seal(1, "a"));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const ready = new Promise((resolve) => child.stderr.once("data", resolve));
  return { ready, go: () => child.stdin.end(), sealed: text(child.stdout) };
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function refusal(message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof TypeError);
    assert.match(error.message, message);
    assert.ok(!error.message.includes(folder));
    return true;
  };
}
