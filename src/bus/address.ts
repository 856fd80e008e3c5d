/** Where NATS is: several addresses in one text, `nats://a:4222,tls://b`, with credentials before the host where they are the same for all. */
import { BusError } from "./bus-error.ts";

export interface NatsAddresses {
  /** `host:port` of each. */
  readonly servers: readonly string[];
  /** Set where one of them begins with `tls://`: then none is spoken to without. */
  readonly isSecure: boolean;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** What stands alone before the host. */
  readonly token?: string | undefined;
}

const DEFAULT_PORT = 4222;
const FORM = "expected nats://host:4222 or tls://host:4222, several with commas between them";

/** Throws a BusError that names at most the host. */
export function parseAddresses(text: string): NatsAddresses {
  const urls = text.split(",").flatMap((part) => (part.trim() === "" ? [] : parseOne(part.trim())));
  if (urls.length === 0) throw new BusError("address", `No address of NATS is given: ${FORM}`);
  const named = urls.find(({ username }) => username !== "");
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || DEFAULT_PORT}`),
    isSecure: urls.some(({ protocol }) => protocol === "tls:"),
    ...(named && credentialsIn(named)),
  };
}

function parseOne(text: string): URL {
  const url = URL.parse(text.includes("://") ? text : `nats://${text}`);
  const isFit = url && (url.protocol === "nats:" || url.protocol === "tls:") && url.hostname !== "";
  if (!isFit || url.search !== "" || !/^\/?$/.test(url.pathname)) throw notAnAddress();
  return url;
}

function notAnAddress(): BusError {
  return new BusError("address", `The address of NATS is not valid: ${FORM}`);
}

function credentialsIn({ username, password }: URL): Partial<NatsAddresses> {
  try {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return secret === "" ? { token: user } : { user, password: secret };
  } catch {
    throw new BusError("address", "The credentials in the address of NATS are not valid: write % as %25");
  }
}
