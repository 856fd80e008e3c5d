/**
 * Parses the address of a PostgreSQL database, `postgres://user:password@host:5432/database?…`, with the parameters that people
 * know from psql; what is missing comes from the environment. Error messages do not repeat the address, which may contain a
 * password.
 */

const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
type TlsMode = (typeof TLS_MODES)[number];

export interface PostgresAddress {
  /** A host, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The PostgreSQL schema of this hub. */
  readonly schema: string;
  readonly tlsMode: TlsMode;
  /** Files in PEM form. */
  readonly rootCertificate?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** The address for people: no user, no password. */
  readonly shown: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const PARAMETERS = ["host", "schema", "sslmode", "sslrootcert", "sslcert", "sslkey"];
const DEFAULT_PORT = 5432;
const DEFAULT_SCHEMA = "zaguan";
/** Only names that need no quotes, in SQL or in a setting. */
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;

/** Throws a TypeError that says what is wrong with the address. */
export function parseAddress(text: string, env: Environment): PostgresAddress {
  const url = toUrl(text);
  const parameter = (name: string, variable: string): string | undefined =>
    url.searchParams.get(name) || env[variable] || undefined;
  const host = url.searchParams.get("host") || decoded(url.hostname.replace(/^\[(.*)\]$/, "$1")) || "localhost";
  const user = decoded(url.username) || env["PGUSER"] || "postgres";
  const database = decoded(url.pathname.slice(1)) || env["PGDATABASE"] || user;
  const port = Number(url.port || DEFAULT_PORT);
  return {
    host,
    port,
    user,
    password: decoded(url.password) || env["PGPASSWORD"] || "",
    database,
    schema: schemaIn(url),
    tlsMode: tlsModeOf(parameter("sslmode", "PGSSLMODE") ?? "prefer"),
    rootCertificate: parameter("sslrootcert", "PGSSLROOTCERT"),
    certificate: parameter("sslcert", "PGSSLCERT"),
    key: parameter("sslkey", "PGSSLKEY"),
    shown: shownAddress(host, port, database, schemaIn(url)),
  };
}

function shownAddress(host: string, port: number, database: string, schema: string): string {
  const place = isSocketFolder(host) ? encodeURIComponent(host) : host.includes(":") ? `[${host}]` : host;
  return `postgres://${place}:${port}/${database}${schema === DEFAULT_SCHEMA ? "" : `?schema=${schema}`}`;
}

/** Whether the database is reached by a Unix socket, whose folder is given in the place of a host. */
export function isSocketFolder(host: string): boolean {
  return host.startsWith("/");
}

/** PostgreSQL's own tools allow a user without a host, which is no valid URL; the host is a parameter then, or localhost. */
const NO_HOST = /^(postgres(?:ql)?:\/\/[^/@]*@)(?=[:/])/;

function toUrl(text: string): URL {
  const url = URL.parse(text.replace(NO_HOST, "$1localhost"));
  if (!url || !["postgres:", "postgresql:"].includes(url.protocol)) {
    throw new TypeError(
      "it is not of the form postgres://user:password@host:5432/database (percent-encode / : @ ? # and % in a password)",
    );
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown === undefined) return url;
  throw new TypeError(`there is no parameter ${JSON.stringify(unknown.slice(0, 64))}; known: ${PARAMETERS.join(", ")}`);
}

function schemaIn(url: URL): string {
  const schema = url.searchParams.get("schema") || DEFAULT_SCHEMA;
  if (SCHEMA.test(schema)) return schema;
  throw new TypeError("schema must be of small letters, digits and _, must begin with a letter, and not with pg_");
}

function tlsModeOf(word: string): TlsMode {
  const mode = TLS_MODES.find((known) => known === word);
  if (mode) return mode;
  throw new TypeError(`sslmode must be one of ${TLS_MODES.join(", ")}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError("it holds a % that is no percent-encoding (write %25)");
  }
}
