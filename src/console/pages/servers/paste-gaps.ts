/** Places that another client fills in by itself: `${input:key}`, `${HOME}`, `{env:KEY}`, `<YOUR KEY>`. Here somebody has to. */
import type { PastedServer } from "./paste.ts";

export interface Gap {
  /** As it is written; what stands for it takes its place. */
  readonly token: string;
  readonly label: string;
  readonly secret: boolean;
  /** What stands there if nobody says otherwise. */
  readonly otherwise: string;
}

/** What VS Code asks its user for. */
export interface AskedInput {
  readonly id: string;
  readonly description?: string | undefined;
  readonly password?: boolean | undefined;
  readonly default?: string | undefined;
}

const ANYWHERE = /\$\{[^{}]+\}|\{(?:env|file):[^{}]+\}/g;
/** In texts that hold secrets, where nothing else looks like this. */
const IN_VALUES = /\$\{[^{}]+\}|\{(?:env|file):[^{}]+\}|^\$[A-Za-z_]\w*$|<[A-Za-z][\w .-]*>/g;
const SECRET = /key|token|secret|passw|auth|credential|bearer|\bpat\b/i;

export function gapsIn(servers: readonly PastedServer[], inputs: readonly AskedInput[]): readonly Gap[] {
  const tokens = new Set(servers.flatMap(tokensIn));
  return [...tokens].map((token) => gapOf(token, inputs));
}

export function tokensIn({ baseUrl = "", command = "", args, env, headers }: PastedServer): readonly string[] {
  const plain = [baseUrl, command, ...args].flatMap((text) => text.match(ANYWHERE) ?? []);
  const values = [...Object.values(env), ...Object.values(headers)].flatMap((text) => text.match(IN_VALUES) ?? []);
  return [...plain, ...values];
}

/** The server with everything filled in for which there is something. */
export function filledIn(server: PastedServer, given: Readonly<Record<string, string>>): PastedServer {
  const fill = (text: string, pattern: RegExp): string => text.replace(pattern, (token) => given[token] || token);
  const fillAll = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text, IN_VALUES)]));
  return {
    ...server,
    baseUrl: server.baseUrl === undefined ? undefined : fill(server.baseUrl, ANYWHERE),
    command: server.command === undefined ? undefined : fill(server.command, ANYWHERE),
    args: server.args.map((text) => fill(text, ANYWHERE)),
    env: fillAll(server.env),
    headers: fillAll(server.headers),
  };
}

function gapOf(token: string, inputs: readonly AskedInput[]): Gap {
  const inside = token.replace(/^(?:\$\{|\{|\$|<)|[}>]$/g, "");
  const input = inputs.find(({ id }) => inside === `input:${id}`);
  if (input) {
    const { id, description, password, default: otherwise = "" } = input;
    return { token, label: description ?? id, secret: password ?? SECRET.test(id), otherwise };
  }
  const [name = inside, otherwise = ""] = inside.split(":-", 2);
  return { token, label: name.replace(/^(?:env|input|file):/, ""), secret: SECRET.test(name), otherwise };
}
