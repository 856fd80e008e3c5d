/** The store in a PostgreSQL database. */
import type { SqlDriver } from "../sql/driver.ts";
import { openSqlStore } from "../sql/store.ts";
import type { Store } from "../store.ts";
import type { PostgresAddress } from "./address.ts";
import { openPostgresDriver } from "./driver.ts";
import { failureIn } from "./failures.ts";
import { openLeaseDriver, PostgresLeaseTable } from "./lease-table.ts";

const LEAST_VERSION = 12;

/** Rejects with a TypeError that says why the database cannot be opened, without the password. */
export async function openPostgresStore(address: PostgresAddress): Promise<Store> {
  try {
    const store = await openSqlStore(await openCheckedDriver(address));
    const leaseDriver = await openLeaseDriver(address);
    const close = async (): Promise<void> => void (await Promise.all([leaseDriver.close(), store.close()]));
    return { ...store, address: address.shown, leases: new PostgresLeaseTable(leaseDriver), close };
  } catch (cause) {
    throw explained(cause);
  }
}

/** Opens a driver and checks the version and the encoding of the server. Rejects like `openPostgresStore`. */
export async function openCheckedDriver(address: PostgresAddress): Promise<SqlDriver> {
  const driver = await openPostgresDriver(address);
  try {
    await check(driver);
    return driver;
  } catch (cause) {
    await driver.close();
    throw explained(cause);
  }
}

async function check(driver: SqlDriver): Promise<void> {
  const sql = "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding";
  const found = await driver.first(sql);
  const version = Math.floor(Number(found?.["version"]) / 10_000);
  if (version < LEAST_VERSION)
    throw new TypeError(`it is PostgreSQL ${version}, and at least ${LEAST_VERSION} is needed`);
  const encoding = String(found?.["encoding"]);
  if (encoding !== "UTF8") throw new TypeError(`its encoding is ${encoding}, and only UTF8 holds every text`);
}

/** Reasons by SQLSTATE, system error code or code of `dial.ts`. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOENT: "nothing listens there",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "there is no host of that name",
  ETIMEDOUT: "it does not answer in time",
  TIMEOUT: "it does not answer in time",
  CONNECT_TIMEOUT: "what listens there does not answer as PostgreSQL does",
  HUNG_UP: "what listens there does not answer as PostgreSQL does",
  NOT_POSTGRES: "what listens there does not answer as PostgreSQL does",
  NO_TLS: "the server has no TLS, which sslmode asks for",
  "25006": "the database is read-only",
  "28P01": "the user or the password is wrong",
  "28000": "the server does not let this user in from here",
  "3D000": "there is no database of that name",
  "42501": "its user has no right to create the schema or the tables there",
  "53300": "it takes no further connection",
  "57P03": "it is starting up or shutting down",
};

function explained(cause: unknown): unknown {
  const failure = failureIn(cause);
  if (!failure) return cause;
  const certificate =
    /CERT|SELF_SIGNED|VERIFY|ISSUER|ALTNAME/.test(failure.code) && `its certificate is refused: ${failure.code}`;
  return new TypeError(REASONS[failure.code] ?? (certificate || failure.message), { cause: failure });
}
