/** Another key for stored credentials, while the hub runs: `zaguan rotate-key` beside an embedded hub. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { CredentialHolders } from "../support/credential-holders.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan, type Said } from "../support/run-zaguan.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const [OLD, NEW, OTHER] = [0, 1, 2].map(() => randomBytes(32).toString("base64")) as [string, string, string];

describe("the key of stored credentials", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-rotate-"));
  const data = join(folder, "data");
  let holders: CredentialHolders;
  let hub: SpawnedZaguan;
  let client: RegistryClient;
  before(async () => {
    holders = await CredentialHolders.start();
    await open({ ZAGUAN_SECRET_KEY: OLD });
    await holders.register(client);
    await hub.stop();
  });
  afterEach(() => hub.stop());
  after(async () => {
    await holders.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(env: Readonly<Record<string, string>>): Promise<void> {
    hub = await spawnZaguan({ folder, env });
    client = new RegistryClient(hub.url);
  }
  const rotate = (env: Readonly<Record<string, string>> = {}, ...args: readonly string[]): Promise<Said> =>
    runZaguan(["rotate-key", "--data", data, ...args], folder, env);
  const kept = async (): Promise<string[]> => {
    const store = await openSqliteStore(join(data, "zaguan.db"));
    const texts = await store.sealed.list();
    await store.close();
    return texts.map(({ text }) => text);
  };

  it("is changed beside a running hub that has both, and the old one is not needed afterwards", async () => {
    const both = { ZAGUAN_SECRET_KEY: `${NEW},${OLD}` };
    await open(both);
    await holders.assertCalled(client);
    const sealedBefore = await kept();
    const { code, stdout, stderr } = await rotate(both);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(stdout, "Sealed anew: 3. When every hub has the new key first, the older ones can be removed.\n");
    const sealedAfter = await kept();
    assert.equal(sealedAfter.filter((text, index) => text !== sealedBefore[index]).length, 3);
    await holders.assertCalled(client);
    assert.equal((await rotate(both)).stdout, "Nothing is sealed with an older key.\n");
    assert.deepEqual(await kept(), sealedAfter);
    await hub.stop();
    await open({ ZAGUAN_SECRET_KEY: NEW });
    await holders.assertCalled(client);
  });

  it("is not changed by one who does not have the old one, who is told what cannot be opened", async () => {
    const sealedBefore = await kept();
    await open({ ZAGUAN_SECRET_KEY: NEW });
    const { code, stdout, stderr } = await rotate({ ZAGUAN_SECRET_KEY: OTHER }, "--lang", "es");
    assert.deepEqual([code, stdout], [1, "No hay nada sellado con una clave anterior.\n"]);
    assert.match(stderr, /^Las credenciales de 'letters' no se pueden abrir .*\nLas credenciales de '[^']+' .*\n$/);
    assert.deepEqual(await kept(), sealedBefore);
    await holders.assertCalled(client);
  });

  it("may stand in the file, the new one before the old one", async () => {
    const file = join(data, "secret.key");
    writeFileSync(file, `${OTHER}\n${NEW}\n`, { mode: 0o600 });
    await open({});
    await holders.assertCalled(client);
    assert.match((await rotate()).stdout, /^Sealed anew: 3\./);
    await hub.stop();
    writeFileSync(file, `${readFileSync(file, "utf8").split("\n")[0]}\n`);
    await open({});
    await holders.assertCalled(client);
  });
});
