/**
 * The small weather service that seed 004's tools are written for, on a real socket: it succeeds, fails, hangs, takes its
 * time, sends its caller elsewhere, and keeps everything that it received, as it came. It knows nothing of the hub's code.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request, before anybody decoded anything. */
export interface Received {
  readonly method: string;
  /** Path and query with their escapes. */
  readonly target: string;
  /** The path alone, with its escapes. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, repeated headers included. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface Moved {
  readonly status: number;
  readonly location: string;
}

type Route = (received: Received, response: ServerResponse) => void;

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/** The answer that the seed prints, to the space, for a city. */
export function weatherIn(city: string): string {
  return `{"temperature": 22, "condition": "sunny", "city": ${JSON.stringify(city)}}`;
}

export class WeatherApi {
  readonly received: Received[] = [];
  /** Where `/v1/moved.json` sends its callers. */
  moved: Moved = { status: 302, location: "/v1/current.json?q=Rosario" };
  /** Tokens that `/oauth/token` gave and that count; none counts after `clear()`. */
  readonly tokens: Set<string> = new Set();
  /** Requests whose caller left before it was answered. */
  abandoned = 0;
  #tokensGiven = 0;
  readonly #held: (() => void)[] = [];
  readonly #server = createServer((request, response) => void this.#take(request, response));

  /** @param host another address of this machine, for those who must not be led there */
  static async start(host: string = "127.0.0.1"): Promise<WeatherApi> {
    const weather = new WeatherApi();
    weather.#server.listen(0, host);
    await once(weather.#server, "listening");
    return weather;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}`;
  }

  /** What came last. */
  get last(): Received {
    const last = this.received.at(-1);
    if (!last) throw new Error("the weather service was asked nothing");
    return last;
  }

  /** What was asked of one path. */
  at(path: string): readonly Received[] {
    return this.received.filter((received) => received.path === path);
  }

  forget(): void {
    this.received.splice(0);
  }

  /** Lets `/v1/slow.json` answer whoever waits. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  get waiting(): number {
    return this.#held.length;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("close", () => {
      if (!response.writableFinished) this.abandoned++;
    });
    const received = await receive(request);
    if (!received) return;
    this.received.push(received);
    const route = this.#routes[received.path] ?? (received.path.startsWith("/v1/echo") ? echo : missing);
    route(received, response);
  }

  readonly #routes: Readonly<Record<string, Route>> = {
    /** For whoever only wants to know whether it is there. */
    "/": echo,
    "/v1/current.json": current,
    "/v1/broken.json": (_, response) => answer(response, 500, BROKEN),
    /** As careless services do: it says in its failure what it was given. */
    "/v1/leak.json": (received, response) => answer(response, 500, JSON.stringify(spoken(received))),
    "/v1/hang.json": () => {},
    "/v1/slow.json": (received, response) => void this.#held.push(() => current(received, response)),
    "/v1/text": (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("soleado"),
    "/v1/cut.json": (_, response) => void response.socket?.destroy(),
    "/v1/moved.json": (_, response) =>
      void response.writeHead(this.moved.status, { location: this.moved.location }).end(),
    "/oauth/token": (received, response) => this.#giveToken(received, response),
    "/v1/members.json": (received, response) => this.#forMembers(received, response),
  };

  /** RFC 6749, client credentials; what it was asked with is for the test to judge. */
  #giveToken(_: Received, response: ServerResponse): void {
    const access_token = `ficha-${++this.#tokensGiven}-${crypto.randomUUID()}`;
    this.tokens.add(access_token);
    answer(response, 200, JSON.stringify({ access_token, token_type: "Bearer", expires_in: 3600 }));
  }

  #forMembers(received: Received, response: ServerResponse): void {
    const token = /^Bearer (.+)$/.exec(received.headers.authorization ?? "")?.[1] ?? "";
    if (this.tokens.has(token)) current(received, response);
    else answer(response, 401, '{"error":"invalid_token"}');
  }
}

const BROKEN = '{"error":{"code":9999,"message":"Internal application error."}}';

function current({ query }: Received, response: ServerResponse): void {
  const city = query.get("q");
  if (city === null) answer(response, 400, '{"error":{"code":1003,"message":"Parameter q is missing."}}');
  else answer(response, 200, weatherIn(city));
}

function echo(received: Received, response: ServerResponse): void {
  answer(response, 200, JSON.stringify(spoken(received)));
}

function missing(_: Received, response: ServerResponse): void {
  answer(response, 404, '{"error":{"code":1005,"message":"API URL is invalid."}}');
}

function spoken({ method, target, headers, body }: Received): object {
  return { method, target, headers, body };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, JSON_TYPE).end(text);
}

/** Nothing, if the caller left in the middle of it. */
async function receive(request: IncomingMessage): Promise<Received | undefined> {
  const { method = "", url: target = "", headers, rawHeaders } = request;
  const chunks: Buffer[] | undefined = await request.toArray().catch(() => undefined);
  if (!chunks) return undefined;
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark));
  return { method, target, path, query, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
}
