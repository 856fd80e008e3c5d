/**
 * An MCP server that says what it is told to say, character for character, and tells what it heard: `say` answers with the
 * result that stands in its argument `text`, `fail` with the error that stands there, `heard` with its own params, as a
 * string. Each of them is a tool, a prompt and a resource (`echo://NAME/say`, with `text` beside the URI). Nothing of it
 * is parsed and written anew. How messages come and go is the business of the files beside this one.
 */
import { setImmediate as turn } from "node:timers/promises";
import { type Cut, cut, memberText } from "./cut.ts";

/** The revision it speaks, and no other. */
export type Revision = "2024-11-05" | "2025-11-25" | "2026-07-28";

export interface EchoServer {
  readonly revision: Revision;
  /** Resolves with the answer, or with nothing if none is due. */
  answer(message: string): Promise<Answer | undefined>;
}

export interface Answer {
  readonly text: string;
  /** Undefined if it is a result. */
  readonly error: number | undefined;
}

interface Told {
  readonly name?: string;
  readonly uri?: string;
  readonly text?: string;
  readonly arguments?: { readonly text?: string; readonly together?: number };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface Heard {
  readonly method: string;
  readonly params: string;
  readonly told: Told;
}

const KEY = "io.modelcontextprotocol/";
const WORDS = ["say", "fail", "heard"];
/** With all that a careless reader would lose. */
const ODD_FIELDS = '"x-big":12345678901234567890,"x-spelt":[1.0,1e3,-0,0.1e-7],"":"\\u0000\\ud800","__proto__":{"a":1}';

/** What has no meaning of its own in a result of the revision's lists. */
export function listedTools(revision: Revision): string {
  const tools = WORDS.map((word) => `{"name":"${word}","inputSchema":{"type":"object"},${ODD_FIELDS}}`);
  return listing(revision, `"tools":[${tools.join(", ")}], ${ODD_FIELDS}`);
}

export function makeEcho(name: string, revision: Revision): EchoServer {
  const echo = new Echo(name, revision);
  return { revision, answer: (message) => echo.answer(message) };
}

class Echo {
  readonly #name: string;
  readonly #revision: Revision;
  /** Calls that are answered together, the last one first. */
  #gathered: (() => void)[] = [];

  constructor(name: string, revision: Revision) {
    this.#name = name;
    this.#revision = revision;
  }

  async answer(message: string): Promise<Answer | undefined> {
    const members = cut(message);
    const id = memberText(members, "id");
    if (id === undefined || memberText(members, "method") === undefined) return undefined;
    const { member, text } = await this.#outcome(heardIn(members));
    const error = member === "error" ? (JSON.parse(text) as { code: number }).code : undefined;
    return { text: `{"jsonrpc":"2.0","id":${id},"${member}":${text}}`, error };
  }

  async #outcome(heard: Heard): Promise<{ readonly member: "result" | "error"; readonly text: string }> {
    const refusal = this.#refusal(heard);
    if (refusal !== undefined) return { member: "error", text: refusal };
    const word = wordOf(heard);
    if (word === undefined) return this.#listed(heard.method);
    const { told } = heard;
    await this.#together(told.arguments?.together ?? 1);
    const text = told.arguments?.text ?? told.text ?? "{}";
    if (word === "heard") return { member: "result", text: this.#complete(`"heard":${JSON.stringify(heard.params)}`) };
    return { member: word === "fail" ? "error" : "result", text };
  }

  #listed(method: string): { readonly member: "result" | "error"; readonly text: string } {
    const text = this.#lists()[method];
    return text === undefined
      ? { member: "error", text: '{"code":-32601,"message":"Method not found"}' }
      : { member: "result", text };
  }

  #lists(): Readonly<Record<string, string>> {
    const info = `{"name":"${this.#name}","version":"1.0"}`;
    const capabilities = '"capabilities":{"tools":{},"resources":{},"prompts":{}}';
    const prompts = WORDS.map((word) => `{"name":"${word}","description":"echo of ${this.#name}"}`).join();
    const template = `{"name":"echo","uriTemplate":"echo://${this.#name}/{+word}"}`;
    const greeting: Record<string, string> =
      this.#revision === "2026-07-28"
        ? { "server/discover": this.#complete(`"supportedVersions":["2026-07-28"],${capabilities}`, info) }
        : { initialize: `{"protocolVersion":"${this.#revision}",${capabilities},"serverInfo":${info}}`, ping: "{}" };
    return {
      ...greeting,
      "tools/list": listedTools(this.#revision),
      "prompts/list": this.#complete(`"prompts":[${prompts}]`),
      "resources/list": this.#complete('"resources":[]'),
      "resources/templates/list": this.#complete(`"resourceTemplates":[${template}]`),
    };
  }

  #complete(members: string, info?: string): string {
    const meta = info === undefined ? "" : `,"_meta":{"${KEY}serverInfo":${info}}`;
    return listing(this.#revision, members + meta);
  }

  /** What the revision asks of every request. */
  #refusal({ method, told: { _meta: meta } }: Heard): string | undefined {
    if (this.#revision !== "2026-07-28") return undefined;
    if (method === "initialize") return unsupported("none");
    const version = meta?.[`${KEY}protocolVersion`];
    if (version !== "2026-07-28") return unsupported(String(version));
    if (typeof meta?.[`${KEY}clientCapabilities`] === "object") return undefined;
    return '{"code":-32602,"message":"the client\'s capabilities are missing"}';
  }

  /** Waits until so many are waiting. */
  async #together(count: number): Promise<void> {
    if (count <= 1) return;
    await new Promise<void>((resolve) => {
      this.#gathered.push(resolve);
      if (this.#gathered.length === count) void answerLastFirst(this.#gathered.splice(0));
    });
  }
}

async function answerLastFirst(gathered: readonly (() => void)[]): Promise<void> {
  for (const resolve of gathered.toReversed()) {
    resolve();
    await turn();
  }
}

function heardIn(members: readonly Cut[]): Heard {
  const params = memberText(members, "params") ?? "{}";
  const method = JSON.parse(memberText(members, "method") ?? '""') as string;
  return { method, params, told: JSON.parse(params) as Told };
}

function wordOf({ method, told }: Heard): string | undefined {
  if (method === "tools/call" || method === "prompts/get") return told.name;
  return method === "resources/read" ? WORDS.find((word) => told.uri?.includes(`/${word}`)) : undefined;
}

function listing(revision: Revision, members: string): string {
  const modern = '"resultType":"complete","ttlMs":0,"cacheScope":"private",';
  return `{${revision === "2026-07-28" ? modern : ""}${members}}`;
}

function unsupported(requested: string): string {
  const data = JSON.stringify({ supported: ["2026-07-28"], requested });
  return `{"code":-32022,"message":"Unsupported protocol version","data":${data}}`;
}
