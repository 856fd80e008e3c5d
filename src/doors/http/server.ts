/**
 * The one HTTP port. Everything that must hold for every door is held here, before any door runs: timeouts, sizes, Host
 * and Origin, the caller's key. Doors only add routes.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { type Language, languageOf } from "../../messages/catalogue.ts";
import { isLoopback, isWithin } from "../../security/addresses.ts";
import { HostAndOrigin, isBehindTheBack } from "../../security/host-and-origin.ts";
import { HOP_HEADER, hubChain } from "../../security/hub-chain.ts";
import type { Door, HeldOpen, Route } from "../door.ts";
import { tellable } from "../mcp/failure.ts";
import { refuseUnless } from "../rights.ts";
import { HttpExchange } from "./exchange.ts";
import { KeyRechecks } from "./key-recheck.ts";
import { notAllowed, notFound, type Place, pathOf, Routes } from "./routes.ts";
import { UnreadAnswers } from "./unread.ts";
import { type FoundUpgrade, hangUp, isWebSocket, refuseUpgrade, upgradesOf } from "./upgrades.ts";

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  readonly language: Language;
  readonly doors: readonly Door[];
  /** Read at every request, so that a changed configuration counts at once. */
  settings(): HttpSettings;
  /** A promise only where the answer is not at hand. */
  authenticate(headers: IncomingMessage["headers"], fromLoopback: boolean): Principal | Promise<Principal>;
  /** The agent of that name, in the place of this caller; rejects if the caller may not be it. */
  actingAs(agent: string, principal: Principal): Promise<Principal>;
  /** What stands in addresses for a server's name; undefined where no server has that name. */
  slugOf(name: string): string | undefined;
  report(cause: unknown): string;
  /** Told of every request that says that a proxy passed it on. */
  onForwarded?(): void;
  /** Told of every request that has ended; `endpoint` is the path as its door gave it. */
  answered?(method: string, endpoint: string, status: number, ms: number): void;
}

export interface HttpSettings {
  readonly bodyBytes: number;
  readonly connections: number;
  /** Limit of what was written and not read yet, over all connections. */
  readonly unreadBytes: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Addresses and networks from which only proxies come. */
  readonly trustedProxies: readonly string[];
}

/**
 * Not by `import`: that reads every export of `node:http` at once, among them a whole HTTP client of some fifteen
 * megabytes that nobody here uses.
 */
const { createServer } = process.getBuiltinModule("node:http");

/**
 * Connections that may wait until we take them; the system may hold fewer. Beyond it newcomers are dropped without a word and try
 * again after one second, then three: Node's 511 are reached when a flood meets a hub that is busy for a moment.
 */
const BACKLOG = 4_096;

/** Requests that a connection may have sent beyond the one that is being answered: their bodies together are about as much as one may have. */
const MOST_WAITING = 100;

const PROXY_HEADERS = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"];

const NOBODY: Principal = { id: "nobody", kind: "local", name: "nobody", allow: [] };

export class HttpServer {
  readonly #options: HttpOptions;
  readonly #server: Server;
  readonly #routes: Routes;
  #guard: { readonly settings: HttpSettings; readonly check: HostAndOrigin } | undefined;
  #port = 0;
  readonly #findUpgrade: ReturnType<typeof upgradesOf>;
  /** Connections on which nothing was ever asked: Node does not count them as idle. */
  readonly #silent = new Set<Duplex>();
  readonly #connections = new Set<Duplex>();
  /** Those of them on which nobody was let in so far, whatever was asked. */
  readonly #strangers = new Set<Duplex>();
  /** How many requests of a connection were sent before the answer to the one before them had left. */
  readonly #waiting = new WeakMap<Duplex, number>();
  readonly #rechecks = new KeyRechecks();
  readonly #unread = new UnreadAnswers(() => this.#options.settings().unreadBytes);
  /** Node forgets these connections, so that they are ours to end. */
  readonly #upgraded = new Set<Duplex>();
  /** Connections of other nodes of a cluster, with whoever came to that node without a key. */
  readonly #handed = new WeakMap<Duplex, { readonly principal: Principal | undefined }>();
  #isDraining = false;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#routes = new Routes(options.doors);
    this.#findUpgrade = upgradesOf(options.doors);
    this.#server = createServer(LIMITS, (request, response) => this.#take(request, response));
    // An expectation that nobody knows is passed over: Node would answer it beside us.
    this.#server.on("checkExpectation", (request, response) => this.#take(request, response));
    this.#server.keepAliveTimeout = 65_000;
    this.#server.maxHeadersCount = 100;
    this.#server.maxRequestsPerSocket = 0;
    this.#server.on("connection", (socket) => {
      this.#silent.add(socket);
      this.#unread.watch(socket);
      if (!this.#handed.has(socket)) this.#count(socket);
      socket.on("close", () => this.#forget(socket));
    });
    this.#server.on("upgrade", (request, socket, head) => void this.#upgrade(request, socket, head));
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
      else hangUp(socket, `HTTP/1.1 ${statusOf(error.code)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    });
  }

  /** The address where it listens. */
  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  /** Resolves with the URL; rejects with the system's error if the address cannot be had. */
  listen(): Promise<string> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host, port, backlog: BACKLOG }, () => {
        this.#server.off("error", reject);
        this.#port = this.address.port;
        const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
        resolve(`http://${shown.includes(":") ? `[${shown}]` : shown}:${this.#port}`);
      });
    });
  }

  /** A connection on which another node hands requests on, which has looked at Host and Origin. @param principal who needs no key */
  take(connection: Duplex, principal: Principal | undefined): void {
    this.#handed.set(connection, { principal });
    this.#server.emit("connection", connection);
  }

  get open(): HeldOpen[] {
    return this.#options.doors.flatMap((door) =>
      Object.entries(door.open?.() ?? {}).map(([what, count]) => ({ door: door.name, what, count })),
    );
  }

  get unreadBytes(): number {
    return this.#unread.bytes;
  }

  /** Checks the keys of all open requests now, and cuts those whose key is no longer one. */
  recheckKeys(): Promise<void> {
    return this.#rechecks.look(Number.POSITIVE_INFINITY);
  }

  /** From now on each answer says that its connection ends with it, so that none is cut on which a proxy is about to ask. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Stops taking connections, gives running answers so long, then cuts what is left. */
  async close(graceMs: number): Promise<void> {
    this.#rechecks.close();
    for (const door of this.#options.doors) door.close?.();
    this.drain();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    for (const socket of this.#silent) socket.destroy();
    const timer = setTimeout(() => this.#cutAll(), graceMs);
    await closed;
    clearTimeout(timer);
  }

  /** Where there is one too many, the first stranger leaves, so that nobody keeps others out without a key; it may be the newcomer. */
  #count(newcomer: Duplex): void {
    this.#connections.add(newcomer);
    this.#strangers.add(newcomer);
    if (this.#connections.size <= this.#options.settings().connections) return;
    const [first = newcomer] = this.#strangers;
    this.#forget(first);
    first.destroy();
  }

  #forget(connection: Duplex): void {
    for (const some of [this.#silent, this.#connections, this.#strangers]) some.delete(connection);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    this.#silent.delete(request.socket);
    // Node hands on at once all that was sent together; it has given the socket to the first alone.
    if (response.socket) this.#begin(request, response);
    else this.#wait(request, response);
  }

  /** Until the answer before has left, so that nobody has more than one held without reading it. */
  #wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const before = this.#waiting.get(socket) ?? 0;
    if (before >= MOST_WAITING) socket.destroy();
    this.#waiting.set(socket, before + 1);
    response.once("socket", () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      // What the connection had for reading the answer before.
      socket.setTimeout(0);
      this.#begin(request, response);
    });
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const settings = this.#options.settings();
    const exchange = new HttpExchange(request, response, NOBODY, this.#options.language, settings.bodyBytes);
    if (this.#isDraining) response.shouldKeepAlive = false;
    response.on("error", ignore);
    response.on("close", () => this.#ended(exchange));
    try {
      this.#handle(exchange, settings)?.catch((cause) => this.#fail(exchange, cause));
    } catch (cause) {
      this.#fail(exchange, cause);
    }
  }

  /** The answer has left, or its caller has. */
  #ended(exchange: HttpExchange): void {
    const { request, response, endpoint, startedAt } = exchange;
    exchange.ended();
    if (exchange.recheck) this.#rechecks.leave(exchange.recheck);
    this.#options.answered?.(request.method ?? "", endpoint, response.statusCode, performance.now() - startedAt);
    // While we close, a connection that its client keeps for later would hold the end up for nothing.
    if (!this.#server.listening) request.socket.destroySoon();
  }

  /** Answers a failure in the form of the route that was asked, if it has its own. */
  #fail(exchange: HttpExchange, cause: unknown): void {
    const error = tellable(cause, this.#options.report);
    const place = this.#routes.find(pathOf(exchange.request.url), methodOf(exchange.request));
    const [any] = place?.methods.values() ?? [];
    const route = place?.methods.get(exchange.request.method ?? "") ?? any;
    if (route?.fail) route.fail(exchange, error);
    else exchange.fail(error);
  }

  /** Without a promise where the caller is known already, as most are. */
  #handle(exchange: HttpExchange, settings: HttpSettings): Promise<void> | undefined {
    const { request } = exchange;
    this.#refuseStrangers(request, settings);
    const path = pathOf(request.url);
    const place = this.#routes.find(path, methodOf(request));
    const methods = place?.methods;
    const route = methods?.get(request.method ?? "") ?? (request.method === "HEAD" ? methods?.get("GET") : undefined);
    const principal = route?.needs === "nobody" ? this.#guest(request) : this.#principal(request);
    if (!(principal instanceof Promise)) return this.#enter(exchange, principal, route, place);
    return principal.then((known) => this.#enter(exchange, known, route, place));
  }

  #enter(exchange: HttpExchange, principal: Principal, route: Route | undefined, place: Place | undefined) {
    const { request } = exchange;
    const { method, url } = request;
    if (principal !== NOBODY) this.#letIn(request);
    if (principal.kind !== "local")
      exchange.recheck = this.#rechecks.enter(request.socket, () => this.#principal(request));
    if (!place) throw notFound(pathOf(url));
    if (!route) throw notAllowed(method, [...place.methods.keys()].join(", "));
    exchange.endpoint = route.path;
    refuseUnless(route.needs, principal);
    exchange.names = this.#bySlug(place.names);
    exchange.principal = principal;
    exchange.caller = principal;
    const { agent } = place.names;
    return agent === undefined ? serve(route, exchange) : this.#enterAs(agent, exchange, route);
  }

  /** Its connection stays, and the hubs that the request has passed are remembered. */
  #letIn({ headers, socket }: IncomingMessage): void {
    this.#strangers.delete(socket);
    const said = headers[HOP_HEADER];
    if (said !== undefined) hubChain.enter(socket, String(said));
  }

  async #enterAs(agent: string, exchange: HttpExchange, route: Route): Promise<void> {
    exchange.principal = await this.#options.actingAs(agent, exchange.principal);
    await serve(route, exchange);
  }

  /** The same checks in the same order, before anything is promised to the caller. */
  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const settings = this.#options.settings();
    const language = languageOf(request.headers["accept-language"], this.#options.language);
    this.#silent.delete(socket);
    this.#upgraded.add(socket);
    socket.on("close", () => this.#upgraded.delete(socket)).on("error", () => socket.destroy());
    try {
      this.#refuseStrangers(request, settings);
      const path = pathOf(request.url);
      const upgrade = this.#findUpgrade(path);
      const caller = await (upgrade?.key ? this.#device(request, upgrade.key(request.url)) : this.#principal(request));
      if (!upgrade || !isWebSocket(request)) throw notFound(path);
      this.#letIn(request);
      if (caller.kind !== "local") this.#stay(request, upgrade);
      refuseUnless(upgrade.needs, caller);
      const { agent } = upgrade.names;
      const principal = agent === undefined ? caller : await this.#options.actingAs(agent, caller);
      await upgrade.accept({
        names: this.#bySlug(upgrade.names),
        request,
        socket,
        head,
        principal,
        language,
        bodyBytes: settings.bodyBytes,
      });
    } catch (cause) {
      refuseUpgrade(socket, tellable(cause, this.#options.report), language);
    }
  }

  /** Checks the key again while the socket lives. Keeps only what that needs of the request: there may be thousands. */
  #stay({ headers, socket, url }: IncomingMessage, { key }: FoundUpgrade): void {
    const asking = { headers, socket };
    const said = key?.(url);
    this.#rechecks.enter(socket, key ? () => this.#device(asking, said) : () => this.#principal(asking));
  }

  /** A path may have a server's display name, which becomes its slug here. */
  #bySlug(names: Place["names"]): Place["names"] {
    const slug = names["name"] === undefined ? undefined : this.#options.slugOf(names["name"]);
    return slug === undefined ? names : { ...names, name: slug };
  }

  #cutAll(): void {
    this.#server.closeAllConnections();
    for (const socket of this.#upgraded) socket.destroy();
  }

  #refuseStrangers({ headers, rawHeaders, socket }: IncomingMessage, settings: HttpSettings): void {
    if (this.#handed.has(socket)) return;
    // Node shows us the first; a proxy before us may have gone by the last.
    const hosts = hostsIn(rawHeaders);
    if (hosts !== 1) {
      const reason = hosts === 0 ? "there is no Host header" : "there are two Host headers";
      throw new ZaguanError("BAD_REQUEST", { params: { reason } });
    }
    const refusal = this.#check(settings).refusal(headers.host, headers.origin);
    if (refusal) throw refusal;
    if (isBehindTheBack(headers)) throw new ZaguanError("FORBIDDEN_ORIGIN", { params: { origin: "another site" } });
    const loop = headers[HOP_HEADER] === undefined ? undefined : hubChain.refusal(String(headers[HOP_HEADER]));
    if (loop) throw loop;
    if (isForwarded(headers)) this.#options.onForwarded?.();
  }

  /** A request that a proxy or another hub passed on does not come from this machine, whatever its socket says. */
  #isFromHere({ headers, socket }: Shown): boolean {
    const { remoteAddress = "" } = socket;
    if (!isLoopback(remoteAddress) || isForwarded(headers) || headers[HOP_HEADER] !== undefined) return false;
    return !isWithin(remoteAddress, this.#options.settings().trustedProxies);
  }

  #principal(request: Shown): Principal | Promise<Principal> {
    const handed = this.#handed.get(request.socket);
    if (handed?.principal) return handed.principal;
    return this.#options.authenticate(request.headers, this.#isFromHere(request));
  }

  /** The caller at a route that needs no key: known by a valid one, else nobody. */
  #guest(request: IncomingMessage): Principal | Promise<Principal> {
    const known = this.#principal(request);
    return known instanceof Promise ? known.catch(() => NOBODY) : known;
  }

  /** A device may say its key in the query, or without the word Bearer; one that has none may say that word alone. */
  #device(request: Shown, key: string | undefined): Principal | Promise<Principal> {
    const { authorization: said = key ?? "", ...others } = request.headers;
    const headers = /^(?:bearer)?$/i.test(said.trim()) ? others : { ...others, ...bearer(said) };
    return this.#options.authenticate(headers, this.#isFromHere(request));
  }

  #check(settings: HttpSettings): HostAndOrigin {
    if (this.#guard?.settings !== settings) {
      const check = new HostAndOrigin({ ...settings, host: this.#options.host, port: this.#port });
      this.#guard = { settings, check };
    }
    return this.#guard.check;
  }
}

/** The parts of a request that tell who sends it. */
type Shown = Pick<IncomingMessage, "headers" | "socket">;

/** The method by which a route is found. */
function methodOf({ method }: IncomingMessage): string | undefined {
  return method === "HEAD" ? "GET" : method;
}

/** Some devices send the token by itself. */
function bearer(said: string): { readonly authorization: string } {
  return { authorization: /\s/.test(said.trim()) ? said : `Bearer ${said.trim()}` };
}

const LIMITS = {
  /** Clients that drip their headers or bodies are cut; answers may stream for as long as they like. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** Node looks only this often; its default of 30 s would make the two above a wish. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  /** Node would write such refusals beside us, and as many as were sent. */
  requireHostHeader: false,
  rejectNonStandardBodyWrites: true,
  noDelay: true,
  /** Other protocols that a client offers (Java's offers HTTP/2) are passed over, as HTTP has it. */
  shouldUpgradeCallback: isWebSocket,
} as const;

function serve(route: Route, exchange: HttpExchange): Promise<void> | undefined {
  if (route.bodyBytes !== undefined) exchange.allowBody(route.bodyBytes);
  return route.handle(exchange) ?? undefined;
}

function isForwarded(headers: IncomingMessage["headers"]): boolean {
  for (const name of PROXY_HEADERS) if (headers[name] !== undefined) return true;
  return false;
}

/** How many `Host` headers there are; names and values come in turn. */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts;
}

function ignore(): void {}

/** The status of an error before there was a request. */
function statusOf(code: string | undefined): string {
  if (code === "HPE_HEADER_OVERFLOW") return "431 Request Header Fields Too Large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : "400 Bad Request";
}
