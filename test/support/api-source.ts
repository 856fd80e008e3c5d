/** A small API over a real socket, and the source that calls it. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ZaguanError } from "../../src/errors.ts";
import type { Language } from "../../src/messages/catalogue.ts";
import { Payload } from "../../src/protocol/json/payload.ts";
import type { ApiOperation, ApiOptions, ApiParameter } from "../../src/sources/api/operation.ts";
import { makeApiKind } from "../../src/sources/api/source.ts";
import type { Connection } from "../../src/sources/source.ts";
import { FakeClock } from "./fake-clock.ts";
import { never } from "./supervised.ts";

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Result {
  readonly content: readonly {
    readonly type: string;
    readonly text: string;
    readonly data: string;
    readonly mimeType: string;
  }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export type Handle = (seen: Seen, response: ServerResponse) => void;

/** What is open, until the test that opened it is over. */
export class TestApis {
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  async close(): Promise<void> {
    for (const clean of this.#cleanups.splice(0).reverse()) await clean();
  }

  async serve(handle: Handle) {
    const seen: Seen[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      handle(one, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const stop = async (): Promise<void> => {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    };
    this.#cleanups.push(stop);
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, stop };
  }

  /** `given` may need to know where the API is. */
  async open(
    given: Partial<ApiOptions> | ((url: string) => Partial<ApiOptions>),
    handle: Handle = answer(200, "{}", "application/json"),
  ) {
    const { url, seen, stop } = await this.serve(handle);
    const clock = new FakeClock();
    const options = optionsOf(`${url}/v1`, typeof given === "function" ? given(url) : given);
    const connection: Connection = await makeApiKind().connect(options, contextOf(clock), never);
    this.#cleanups.push(() => connection.close());
    const call = (name: string, args: object, language: Language = "en"): Promise<Payload> =>
      connection.request({ method: "tools/call", name, args: Payload.ofValue(args), language, signal: never });
    const result = async (args: object, language?: Language): Promise<Result> =>
      (await call("weather", args, language)).value as Result;
    return { url, connection, call, result, seen, clock, stop };
  }
}

export function answer(status: number, body: string | Buffer, type?: string): Handle {
  return (_seen, response) => {
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  };
}

export function query(name: string, given: Partial<ApiParameter> = {}): ApiParameter {
  return { argument: name, name, in: "query", style: "form", explode: true, required: false, ...given };
}

export function operation(given: Partial<ApiOperation>): ApiOperation {
  return {
    name: "weather",
    description: "The weather",
    method: "GET",
    path: "/current.json",
    parameters: [query("q", { required: true })],
    inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    ...given,
  };
}

export async function failure(call: Promise<unknown>): Promise<ZaguanError> {
  return call.then(
    () => assert.fail("it did not fail"),
    (error) => error as ZaguanError,
  );
}

function optionsOf(baseUrl: string, given: Partial<ApiOptions>): ApiOptions {
  const usual = { auths: {}, headers: {}, operations: [operation({})], allowPrivate: true, maxAnswerChars: 20_000 };
  return { baseUrl, ...usual, ...given };
}

function contextOf(clock: FakeClock) {
  const nothing = (): void => {};
  const onRequest = async (): Promise<Payload> => assert.fail("an API asks nothing");
  return {
    name: "api",
    clock,
    emit: nothing,
    onToolsChanged: nothing,
    onNotification: nothing,
    onRequest,
    onLog: nothing,
  };
}
