/** An API that serves its own OpenAPI document, and notes what it is asked. The document may change. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class DocumentSite {
  document: object = {};
  readonly asked: Asked[] = [];
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === "/openapi.json") return void response.end(JSON.stringify(this.document));
    const { method = "", url: target = "", headers } = request;
    this.asked.push({ method, target, headers, body: Buffer.concat(chunks).toString("utf8") });
    response.setHeader("content-type", "application/json").end(JSON.stringify({ method, target }));
  });

  static async start(): Promise<DocumentSite> {
    const site = new DocumentSite();
    site.#server.listen(0, "127.0.0.1");
    await once(site.#server, "listening");
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A document of these operations: `{ listPets: "GET /pets" }`. */
export function documentOf(operations: Readonly<Record<string, string>>, more: object = {}): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, written] of Object.entries(operations)) {
    const [method = "", path = ""] = written.split(" ");
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
    paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId, parameters, responses: {} } };
  }
  const components = { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } };
  const info = { title: "Pets", version: "1" };
  return { openapi: "3.1.0", info, components, security: [{ key: [] }], paths, ...more };
}
