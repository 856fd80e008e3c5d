/** What is in the form for one server, and the request that it makes. */
import { isObject } from "../../../contract/rules.ts";
import type { GivenServer, Server } from "../../../contract/server.ts";

/** A name and a value: a header, a variable. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

export interface ServerForm {
  readonly name: string;
  readonly way: "url" | "command";
  readonly url: string;
  readonly command: string;
  /** One in each line: nobody has to think about quotes. */
  readonly args: string;
  readonly env: readonly Pair[];
  readonly authType: Server["authType"];
  /** Which header takes the key. */
  readonly keyHeader: string;
  readonly secret: string;
  readonly headers: readonly Pair[];
}

export const EMPTY_FORM: ServerForm = {
  name: "",
  way: "url",
  url: "",
  command: "",
  args: "",
  env: [],
  authType: "none",
  keyHeader: "",
  secret: "",
  headers: [],
};

export function requestOf(form: ServerForm): GivenServer {
  const name = form.name.trim();
  if (form.way === "command") {
    const args = form.args.split("\n").flatMap((line) => line.trim() || []);
    return { name, command: form.command.trim(), args, env: recordOf(form.env) };
  }
  const { authType } = form;
  return { name, baseUrl: form.url.trim(), authType, ...credentialsOf(form), headers: recordOf(form.headers) };
}

export function recordOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.flatMap(({ name, value }) => (name.trim() ? [[name.trim(), value]] : [])));
}

/** As a line for a terminal has it, which knows of headers alone. */
export function asHeaders({ credentials, authType, headers, ...rest }: GivenServer): GivenServer {
  if (credentials === undefined) return { ...rest, headers };
  if (authType === "oauth") return { ...rest, headers: { ...headers, Authorization: `Bearer ${credentials}` } };
  const { header = "X-API-Key", value = credentials } = isObject(credentials) ? credentials : {};
  return { ...rest, headers: { ...headers, [String(header)]: String(value) } };
}

function credentialsOf({ authType, keyHeader, secret }: ServerForm): Pick<GivenServer, "credentials"> {
  if (authType === "none" || secret === "") return {};
  const isNamed = authType === "apikey" && keyHeader.trim() !== "";
  return { credentials: isNamed ? { header: keyHeader.trim(), value: secret } : secret };
}
