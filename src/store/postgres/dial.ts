/**
 * Opens the socket to a PostgreSQL server and negotiates TLS. The client library could do that itself, but it retries without end
 * and without a pause when the other side hangs up, so it gets a socket that is ready.
 */
import { readFile } from "node:fs/promises";
import { isIP, Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { isSocketFolder, type PostgresAddress } from "./address.ts";

const CONNECT_MS = 10_000;
/** The message by which a client asks for TLS: its length and a fixed number. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** A connection failure that is reported neither by the system nor by the server. */
class DialFailure extends Error {
  override readonly name = "DialFailure";
  readonly code: "NOT_POSTGRES" | "NO_TLS" | "TIMEOUT" | "HUNG_UP" | "BAD_FILE";

  constructor(code: DialFailure["code"], message: string = code) {
    super(message);
    this.code = code;
  }
}

/**
 * Never rejects, because the client library gives a connection up for good if it gets no socket at all. `onHangUp` is called when
 * the server ends the connection.
 */
export async function dial(address: PostgresAddress, onHangUp: () => void): Promise<Socket> {
  const socket = ignoringErrors(new Socket());
  const timer = setTimeout(() => socket.destroy(new DialFailure("TIMEOUT")), CONNECT_MS);
  try {
    const ready = await negotiate(socket, address);
    ready.once("end", () => {
      if (!ready.writableEnded) onHangUp();
      ready.destroy(new DialFailure("HUNG_UP"));
    });
    return ready;
  } catch (cause) {
    socket.destroy();
    return failedSocket(cause as Error);
  } finally {
    clearTimeout(timer);
  }
}

async function negotiate(socket: Socket, address: PostgresAddress): Promise<Socket> {
  const { host, port, tlsMode } = address;
  const isLocal = isSocketFolder(host);
  const tls = isLocal || tlsMode === "disable" ? undefined : await tlsOptions(address);
  const place = isLocal ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  await happened(socket, "connect", () => socket.connect(place));
  if (!tls) return socket;
  const answer = await firstBytes(socket, TLS_REQUEST);
  if (answer === "S") return secured(socket, tls);
  if (answer !== "N") throw new DialFailure("NOT_POSTGRES");
  if (tlsMode !== "prefer") throw new DialFailure("NO_TLS");
  return socket;
}

/**
 * All bytes of the first answer. A caller must accept exactly one letter: more would be data that an attacker has injected before
 * the encryption begins.
 */
async function firstBytes(socket: Socket, request: Buffer): Promise<string> {
  const bytes = (await happened(socket, "data", () => socket.write(request))) as Buffer;
  return bytes.toString("latin1");
}

async function secured(socket: Socket, options: ConnectionOptions): Promise<Socket> {
  const secure = ignoringErrors(connectTls({ ...options, socket }));
  await happened(secure, "secureConnect", () => {});
  return secure;
}

async function tlsOptions(address: PostgresAddress): Promise<ConnectionOptions> {
  const { host, tlsMode, rootCertificate, certificate, key } = address;
  const ca = rootCertificate === "system" ? undefined : await fileText("sslrootcert", rootCertificate);
  const isVerified = tlsMode.startsWith("verify-") || (tlsMode === "require" && ca !== undefined);
  return {
    ca,
    cert: await fileText("sslcert", certificate),
    key: await fileText("sslkey", key),
    rejectUnauthorized: isVerified,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tlsMode !== "verify-full" && { checkServerIdentity: () => undefined }),
  };
}

async function fileText(parameter: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new DialFailure("BAD_FILE", `the file of ${parameter} cannot be read: ${code}`);
  }
}

/** Rejects if the socket fails or closes first. */
function happened(socket: Socket, event: "connect" | "data" | "secureConnect", begin: () => unknown): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onClose = () => reject(new DialFailure(event === "data" ? "NOT_POSTGRES" : "HUNG_UP"));
  socket.once(event, resolve).once("error", reject).once("close", onClose);
  begin();
  return promise.finally(() => socket.off(event, resolve).off("error", reject).off("close", onClose));
}

/** Keeps a late error of the socket, which nobody listens for any more, from ending the process. */
function ignoringErrors<Some extends Socket>(socket: Some): Some {
  return socket.on("error", () => {});
}

/** A socket that fails as soon as the client listens to it. */
function failedSocket(cause: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(cause));
  return socket;
}
