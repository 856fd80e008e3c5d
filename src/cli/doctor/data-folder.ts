/** Is the data folder ours to write in, and is the database in it sound? Changes nothing that is there. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { clusterInFile } from "../../config/config-file.ts";
import { openDriver } from "../../store/sqlite/driver.ts";
import { type Finding, ill, type Patient, well } from "./finding.ts";

/** Writing for the group and for others. */
const WRITABLE_BY_OTHERS = 0o022;
/** Anything at all for the group and for others: the database holds credentials. */
const OPEN_TO_OTHERS = 0o077;

export async function checkDataFolder({ serve, say }: Patient): Promise<readonly Finding[]> {
  const dir = serve.dataDir;
  const existing = nearestExisting(dir);
  if (!isWritableFolder(existing)) {
    return [ill(say("cli.doctor.dataClosed", { dir: existing }), say("cli.doctor.dataClosedAdvice"))];
  }
  if (existing !== dir) return [well(say("cli.doctor.dataNone", { dir }))];
  if (isOpen(dir, WRITABLE_BY_OTHERS)) {
    return [ill(say("cli.doctor.dataRights", { path: dir }), `chmod 700 ${JSON.stringify(dir)}`)];
  }
  return [well(say("cli.doctor.data", { dir }))];
}

export async function checkDatabase(patient: Patient): Promise<readonly Finding[]> {
  const { serve, env, say } = patient;
  const database = serve.database ?? (await clusterInFile("database", serve.configFile, env).catch(() => undefined));
  if (database !== undefined) return [await checkPostgres(patient, database)];
  const file = databaseFile(serve.dataDir);
  if (!existsSync(file)) return [well(say("cli.doctor.databaseNone"))];
  if (isOpen(file, OPEN_TO_OTHERS)) {
    return [ill(say("cli.doctor.dataRights", { path: file }), `chmod 600 ${JSON.stringify(file)}`)];
  }
  const problem = await integrityProblem(file);
  if (problem === undefined) return [well(say("cli.doctor.database"))];
  return [ill(say("cli.doctor.databaseBroken", { reason: problem }), say("cli.doctor.databaseAdvice", { file }))];
}

/** Whether it answers, and would let a hub in. Makes nothing there. */
async function checkPostgres({ env, say }: Patient, database: string): Promise<Finding> {
  try {
    const { parseAddress } = await import("../../store/postgres/address.ts");
    const { openCheckedDriver } = await import("../../store/postgres/store.ts");
    const address = parseAddress(database, env);
    const driver = await openCheckedDriver(address);
    await driver.close();
    return well(say("cli.doctor.postgres", { address: address.shown }));
  } catch (cause) {
    const reason = (cause as Error).message;
    return ill(say("cli.doctor.postgresAway", { reason }), say("cli.doctor.postgresAdvice"));
  }
}

export function databaseFile(dataDir: string): string {
  return join(dataDir, "zaguan.db");
}

async function integrityProblem(file: string): Promise<string | undefined> {
  try {
    const driver = openDriver(file);
    try {
      const found = Object.values((await driver.first("PRAGMA integrity_check(1)")) ?? {})[0];
      return found === "ok" ? undefined : String(found);
    } finally {
      await driver.close();
    }
  } catch (cause) {
    const inner = (cause as Error).cause;
    return inner instanceof Error ? inner.message : (cause as Error).message;
  }
}

function nearestExisting(path: string): string {
  const above = dirname(path);
  return existsSync(path) || above === path ? path : nearestExisting(above);
}

function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Windows keeps rights elsewhere. */
function isOpen(path: string, bits: number): boolean {
  return process.platform !== "win32" && (statSync(path).mode & bits) !== 0;
}
