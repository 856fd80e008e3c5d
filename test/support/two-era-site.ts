/**
 * An MCP server over HTTP of both eras: whoever greets it has a session and is asked by requests, on the stream of the answer
 * or on the session's own; whoever introduces itself with every request is asked by results.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { Fields, Message } from "./clients/client.ts";

const META = "io.modelcontextprotocol/";
const TOOLS = ["elicit", "elicit_on_stream", "who"].map((name) => ({ name, inputSchema: { type: "object" } }));
const FACE = { capabilities: { tools: {} }, serverInfo: { name: "two eras", version: "1" } };

interface Session {
  readonly declared: Fields;
  stream: ServerResponse | undefined;
}

export class TwoEraSite {
  readonly #server = createServer((request, response) => void this.#take(request, response));
  readonly #sessions = new Map<string, Session>();
  readonly #questions = new Map<string, (answer: Fields | undefined) => void>();
  #asked = 0;

  async start(): Promise<object> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const { port } = this.#server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/mcp`, zaguan: { allowPrivate: true } };
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = String(request.headers["mcp-session-id"]);
    const session = this.#sessions.get(id);
    if (request.method === "GET") return this.#listen(session, response);
    if (request.method === "DELETE") return this.#end(id, response);
    const message = JSON.parse(await readText(request)) as Message;
    if (message.method === undefined) this.#questions.get(String(message.id))?.(message.result);
    if (message.method === undefined || message.id === undefined) return void response.writeHead(202).end();
    const meta = (message.params?.["_meta"] ?? {}) as Fields;
    if (meta[`${META}protocolVersion`]) return this.#stateless(message, meta, response);
    if (message.method === "initialize") return this.#greet(message, response);
    if (!session) return void response.writeHead(404).end();
    await this.#inSession(message, session, response);
  }

  #listen(session: Session | undefined, response: ServerResponse): void {
    if (!session) return void response.writeHead(404).end();
    session.stream = response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
  }

  #end(id: string, response: ServerResponse): void {
    this.#sessions.get(id)?.stream?.end();
    this.#sessions.delete(id);
    response.writeHead(200).end();
  }

  #greet({ id, params }: Message, response: ServerResponse): void {
    const session = randomUUID();
    this.#sessions.set(session, { declared: (params?.["capabilities"] ?? {}) as Fields, stream: undefined });
    answer(response, { id, result: { protocolVersion: "2025-11-25", ...FACE } }, { "mcp-session-id": session });
  }

  async #inSession({ id, method, params }: Message, session: Session, response: ServerResponse): Promise<void> {
    if (method === "tools/list") return answer(response, { id, result: { tools: TOOLS } });
    const { name, arguments: args } = params as { name: string; arguments: Fields };
    if (name === "who" || !session.declared["elicitation"])
      return answer(response, { id, result: text("nobody to ask") });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const question = { id: `q${++this.#asked}`, method: "elicitation/create", params: about(args) };
    const answered = new Promise<Fields | undefined>((resolve) => this.#questions.set(question.id, resolve));
    send(name === "elicit" ? response : session.stream, question);
    send(response, { id, result: text(`${args["nonce"]} ${JSON.stringify(await answered)}`) });
    response.end();
  }

  #stateless(message: Message, meta: Fields, response: ServerResponse): void {
    const result = this.#results(message, (meta[`${META}clientCapabilities`] ?? {}) as Fields);
    const error = { code: -32601, message: "Method not found" };
    if (result) answer(response, { id: message.id ?? null, result: { resultType: "complete", ...result } });
    else answer(response, { id: message.id ?? null, error }, {}, 404);
  }

  #results({ method, params }: Message, declared: Fields): Fields | undefined {
    const kept = { ttlMs: 0, cacheScope: "private" };
    if (method === "server/discover") return { supportedVersions: ["2026-07-28"], ...FACE, ...kept };
    if (method === "tools/list") return { tools: TOOLS, ...kept };
    if (method !== "tools/call") return undefined;
    const {
      name,
      arguments: args,
      inputResponses,
    } = params as { name: string; arguments: Fields; inputResponses?: Fields };
    if (inputResponses) return text(`${args["nonce"]} ${JSON.stringify(inputResponses["a"])}`);
    if (!declared["elicitation"] || name === "who") return text("nobody to ask");
    const inputRequests = { a: { method: "elicitation/create", params: about(args) } };
    return { resultType: "input_required", inputRequests, requestState: "s" };
  }
}

function about(args: Fields): Fields {
  return { message: `about ${args["nonce"]}`, requestedSchema: { type: "object", properties: {} } };
}

function text(said: string): Fields {
  return { content: [{ type: "text", text: said }] };
}

function answer(response: ServerResponse, message: Message, headers = {}, status = 200): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

function send(response: ServerResponse | undefined, message: Message): void {
  response?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
}
