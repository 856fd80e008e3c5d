/**
 * Makes a source out of a kind: starts it when it is first needed, lets requests wait until it is ready, starts it again
 * when it ends, ever more slowly, and stops trying so hard when it keeps failing. One life at a time: the next begins when
 * nothing of the last is left. What becomes of requests in flight is for the connection to say.
 */
import type { ToolDefinition } from "../core/call.ts";
import type { KindLook, SourceState } from "../core/events.ts";
import { Backoff } from "../core/structures/backoff.ts";
import { LogTail } from "../core/structures/log-tail.ts";
import { ZaguanError } from "../errors.ts";
import { anyOf, type CancelSignal } from "../light-abort.ts";
import { type Ending, sayEnding, unfit } from "../link/ending.ts";
import { obstacleOf, TooSlow, unavailable } from "../link/http-failures.ts";
import { sayError } from "../messages/catalogue.ts";
import type { Payload } from "../protocol/json/payload.ts";
import { revisionOf, type ServerFace } from "../protocol/mcp/face.ts";
import { attempt } from "./attempt.ts";
import type {
  ConnectContext,
  Connection,
  Declared,
  Source,
  SourceHealth,
  SourceKind,
  SourceRequest,
  SourceStatus,
  SupervisorPorts,
  Things,
} from "./source.ts";
import { Waiters } from "./waiters.ts";

export interface SupervisorPolicy {
  /** How long one connect may take. */
  readonly readyMs: number;
  /** @default what the kind says */
  readonly concurrency?: number | undefined;
  /** @default what the kind says */
  readonly trusted?: boolean | undefined;
  /** Whom its connections are lent to. One that cannot be opened is given up at once: its client asks for another. */
  readonly client?: Declared | undefined;
  /** False where another node of a cluster may hold the source by now: then nothing of it is started. @default it may */
  mayStart?(): boolean;
  /** The source said so, or it came back: then nobody knows what it offers now. */
  onToolsChanged(): void;
  /** It is up; again: it was started anew, and has forgotten all that it was told. */
  onReady?(isAgain: boolean): void;
  onNotification?(method: string, params: Payload): void;
  /** The signal takes the question back: its source is gone, or does not want to know any more. */
  onRequest?(method: string, params: Payload, signal: CancelSignal): Promise<Payload>;
}

/** One life, from readiness to its end. */
interface Life {
  readonly connection: Connection;
  readonly readyAt: number;
  answered: boolean;
}

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 30_000;
/** So many failed connects, or lives that were of no use, in a row make a source broken: nobody waits long for it. */
const FAILURES_TO_BREAK = 5;
/** A broken one that nobody asks for is not tried sooner than this. */
const BROKEN_PAUSE_MS = 5_000;
/** How long somebody waits who asks for a broken source, since it may be back. */
const BROKEN_WAIT_MS = 2_000;
/** An installer that takes longer than this installs something. */
const INSTALLING_MS = 2_000;
const STILL_STARTING_MS = 5_000;
/** While somebody waits, pauses are no longer than this: who asks for a program that is not there is told so within seconds. */
const AWAITED_CAP_MS = 1_000;
/** Whoever wants a source up from the start wants it back as soon as it is there. */
const EAGER_CAP_MS = 5_000;
/** A life of this length is no crash loop, even if nobody asked anything of it: five of them fill a minute. */
const STEADY_MS = 12_000;
const SAME_RESTART_MS = 4_000;
const LOG_LINES = 100;
const LOG_CHARACTERS = 65_536;
/** Shared: there may be thousands of sources. */
const DONE = Promise.resolve();

export function supervise<O>(
  kind: SourceKind<O>,
  name: string,
  options: O,
  policy: SupervisorPolicy,
  ports: SupervisorPorts,
): Source {
  return new Supervisor(kind, name, options, policy, ports);
}

class Supervisor<O> implements Source {
  readonly name: string;
  readonly kind: string;
  readonly trusted: boolean;
  readonly concurrency: number;
  readonly isMcp: boolean;
  readonly hasThings: boolean;
  readonly look: KindLook;
  readonly #isEager: boolean;
  readonly #mayInstall: boolean;
  readonly #failuresToBreak: number;
  readonly #about: SourceHealth | undefined;
  readonly #connect: (signal: CancelSignal) => Promise<Connection>;
  readonly #policy: SupervisorPolicy;
  readonly #ports: SupervisorPorts;
  readonly #backoff: Backoff;
  readonly #waiters = new Waiters<Life>();
  /** Made with the first line. */
  #log: LogTail | undefined;
  #state: SourceState = "idle";
  #life: Life | undefined;
  #starts = 0;
  #failures = 0;
  #lastFailure: Ending | undefined;
  #lastSeen: number | undefined;
  /** That was spoken in the last life. */
  #revision: string | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #nextTryAt = 0;
  #stopTimer: () => void = nothing;
  /** Only while connecting: a connection may go on using the signal it was made with. */
  #giveUp: AbortController | undefined;
  /** The connect under way, if any; never rejects. */
  #starting: Promise<void> = DONE;
  /** What is left of the last life, being cleared away; never rejects. */
  #remains: Promise<unknown> = DONE;
  #restarting: { readonly since: number; readonly done: Promise<void> } | undefined;
  #closing: Promise<void> | undefined;

  constructor(kind: SourceKind<O>, name: string, options: O, policy: SupervisorPolicy, ports: SupervisorPorts) {
    this.name = name;
    this.kind = kind.kind;
    this.trusted = policy.trusted ?? kind.trusted;
    this.concurrency = policy.concurrency ?? kind.concurrency;
    this.isMcp = kind.isMcp ?? false;
    this.hasThings = kind.hasThings ?? false;
    this.look = kind.look;
    this.#policy = policy;
    this.#ports = ports;
    this.#isEager = kind.isEager ?? false;
    this.#mayInstall = kind.mayInstall?.(options) ?? false;
    this.#failuresToBreak = this.#isEager ? 1 : FAILURES_TO_BREAK;
    this.#about = kind.about?.(options);
    this.#backoff = new Backoff(ports.random, BACKOFF_BASE_MS, this.#isEager ? EAGER_CAP_MS : BACKOFF_CAP_MS);
    const context = this.#context();
    this.#connect = (signal) => kind.connect(options, context, signal);
  }

  async listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    const life = this.#life ?? (await this.#ready(signal));
    const tools = await life.connection.listTools(signal);
    this.#lastSeen = Date.now();
    return tools;
  }

  async request(request: SourceRequest): Promise<Payload> {
    const life = this.#life ?? (await this.#ready(request.signal));
    const answer = await life.connection.request(request);
    this.#lastSeen = Date.now();
    if (!life.answered) this.#proven(life);
    return answer;
  }

  async face(signal: CancelSignal): Promise<ServerFace | undefined> {
    return (this.#life ?? (await this.#ready(signal))).connection.face;
  }

  currentFace(): Pick<Connection, "face"> | undefined {
    return this.#life?.connection;
  }

  notify(method: string, params: Payload): void {
    this.#life?.connection.notify?.(method, params);
  }

  status(): SourceStatus {
    return {
      state: this.#state,
      restarts: this.#restarts,
      lastError: this.#lastFailure && sayEnding(this.#lastFailure),
      obstacle: this.#lastFailure?.obstacle,
      progress: this.#isStarting ? this.#log?.lines().at(-1) : undefined,
      lastSeen: this.#lastSeen,
      revision: revisionOf(this.#life?.connection.face) ?? this.#revision,
      log: this.#log?.lines() ?? [],
    };
  }

  health(): SourceHealth | undefined {
    const now = this.#life?.connection.health?.();
    return this.#about || now ? { ...this.#about, lastSuccessAt: this.#lastSeen, ...now } : undefined;
  }

  things(): Things | undefined {
    return this.#life?.connection.things;
  }

  start(): void {
    if (this.#state === "idle") this.#start();
  }

  /** Who asks for it in the same moment waits for the same one; who asks later has seen that it hangs. */
  restart(): Promise<void> {
    const now = this.#ports.clock.now();
    if (this.#restarting && now - this.#restarting.since < SAME_RESTART_MS) return this.#restarting.done;
    const restarting = { since: now, done: this.#restart() };
    this.#restarting = restarting;
    const over = (): void => {
      if (this.#restarting === restarting) this.#restarting = undefined;
    };
    restarting.done.then(over, over);
    return restarting.done;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  get #restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  get #isStarting(): boolean {
    return this.#state === "starting" || this.#state === "installing";
  }

  #context(): ConnectContext {
    return {
      name: this.name,
      client: this.#policy.client,
      clock: this.#ports.clock,
      emit: this.#ports.emit,
      onToolsChanged: () => this.#policy.onToolsChanged(),
      onNotification: (method, params) => this.#policy.onNotification?.(method, params),
      onRequest: (method, params, signal) =>
        this.#policy.onRequest?.(method, params, signal) ?? Promise.reject(unasked(method)),
      onLog: (line) => {
        this.#log ??= new LogTail(LOG_LINES, LOG_CHARACTERS);
        this.#log.add(line);
      },
    };
  }

  async #ready(signal: CancelSignal): Promise<Life> {
    if (this.#state === "closed") throw this.#unavailable("closed");
    if (!signal.aborted) this.#startForSomebody();
    if (this.#state === "broken") return await this.#soonOrNever(signal);
    return await this.#waiters.wait(signal).catch((error) => {
      throw this.#isStarting && error.code === "DEADLINE_EXCEEDED" ? this.#stillStarting() : error;
    });
  }

  /** What failed a moment ago is left alone; after the first pause it is tried at once, however long the pauses are by now. */
  #startForSomebody(): void {
    const isPaused = this.#state === "waiting" || (this.#state === "broken" && !this.#isEager && !this.#giveUp);
    if (this.#state !== "idle" && !isPaused) return;
    const restMs = this.#failedAt + BACKOFF_BASE_MS - this.#ports.clock.now();
    if (this.#state === "broken" && restMs > 0) return;
    this.#stopTimer();
    if (restMs > 0) this.#stopTimer = this.#ports.clock.after(restMs, () => this.#start());
    else this.#start();
  }

  /** One that keeps failing is waited for only while it is tried, and not for long. */
  async #soonOrNever(signal: CancelSignal): Promise<Life> {
    if (this.#isEager || !this.#giveUp) throw this.#keepsFailing();
    const enough = new AbortController();
    const stop = this.#ports.clock.after(BROKEN_WAIT_MS, () => enough.abort(this.#keepsFailing()));
    return await this.#waiters.wait(anyOf(signal, enough.signal)).finally(stop);
  }

  #start(): void {
    this.#starts += 1;
    // A probe of a broken source changes nothing for those who ask, until it succeeds.
    if (this.#state !== "broken") this.#enter("starting");
    this.#starting = this.#live();
  }

  async #live(): Promise<void> {
    const giveUp = new AbortController();
    this.#giveUp = giveUp;
    await this.#remains;
    const seconds = this.#policy.readyMs / 1000;
    const late = unavailable(this.name, `did not become ready within ${seconds} s`, new TooSlow());
    const stop = this.#ports.clock.after(this.#policy.readyMs, () => giveUp.abort(late));
    const stopWatching = this.#ports.clock.after(INSTALLING_MS, () => {
      if (this.#mayInstall && this.#state === "starting") this.#enter("installing");
    });
    try {
      if (this.#policy.mayStart?.() === false) throw this.#unavailable("it is not here at the moment");
      const connection = await attempt(this.#connect, giveUp.signal, this.#ports.clock);
      await this.#begin(connection, giveUp.signal);
    } catch (error) {
      // Another has been started in its place.
      if (this.#giveUp !== giveUp) return;
      this.#giveUp = undefined;
      this.#failures += this.#policy.client ? FAILURES_TO_BREAK : 1;
      this.#tryAgain(this.#failureOf(error), error instanceof ZaguanError ? error.details.retryAfterMs : undefined);
    } finally {
      stop();
      stopWatching();
    }
  }

  /** `close` may have come after the connect had succeeded and before we were told. */
  async #begin(connection: Connection, signal: CancelSignal): Promise<void> {
    if (signal.aborted) {
      await connection.close().catch(() => {});
      throw signal.reason;
    }
    this.#giveUp = undefined;
    const life: Life = { connection, readyAt: this.#ports.clock.now(), answered: false };
    this.#life = life;
    this.#lastSeen = Date.now();
    this.#enter("ready");
    const isAgain = this.#starts > 1;
    this.#policy.onReady?.(isAgain);
    void connection.closed.then((ending) => this.#ended(life, ending));
    this.#waiters.resolveAll(life);
    if (isAgain) this.#policy.onToolsChanged();
  }

  #proven(life: Life): void {
    life.answered = true;
    this.#failures = 0;
    this.#backoff.reset();
  }

  #ended(life: Life, ending: Ending): void {
    if (this.#life !== life) return;
    this.#remains = this.#bury(life);
    if (this.#ports.clock.now() - life.readyAt >= STEADY_MS) this.#proven(life);
    if (!life.answered) this.#failures += 1;
    this.#tryAgain(ending);
  }

  /** What is told of it afterwards is kept. */
  #bury({ connection }: Life): Promise<void> {
    this.#life = undefined;
    this.#lastSeen = connection.health?.().lastSuccessAt ?? this.#lastSeen;
    this.#revision = revisionOf(connection.face) ?? this.#revision;
    return connection.close().catch(() => {});
  }

  /** Whoever wants this has mended something, or hopes so: what failed before does not count. */
  async #restart(): Promise<void> {
    if (this.#state === "closed") throw this.#unavailable("closed");
    this.#stopTimer();
    this.#failures = 0;
    this.#backoff.reset();
    this.#giveUp?.abort(this.#unavailable("restarted"));
    this.#remains = Promise.all([this.#remains, this.#starting, this.#life && this.#bury(this.#life)]);
    // Also one that was broken is waited for.
    this.#state = "idle";
    this.#start();
    await this.#starting;
  }

  #tryAgain(failure: Ending, askedMs = 0): void {
    if (this.#state === "closed") return;
    const reason = sayEnding(failure);
    const isKnown = this.#state === "broken" && this.status().lastError === reason;
    this.#lastFailure = failure;
    this.#failedAt = this.#ports.clock.now();
    const broken = this.#failures >= this.#failuresToBreak;
    const leastMs = this.#isEager ? askedMs : broken ? BROKEN_PAUSE_MS : 0;
    const pauseMs = this.#backoff.next();
    const isAwaited = !broken && !this.#waiters.isEmpty;
    const ms = Math.max(leastMs, isAwaited ? Math.min(pauseMs, AWAITED_CAP_MS) : pauseMs);
    this.#nextTryAt = this.#ports.clock.now() + ms;
    this.#stopTimer = this.#ports.clock.after(ms, () => this.#start());
    // One that is tried every few seconds is not told of every few seconds.
    if (!isKnown) this.#enter(broken ? "broken" : "waiting", reason, ms);
    if (broken) this.#waiters.rejectAll(() => this.#keepsFailing());
  }

  async #close(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    this.#stopTimer();
    this.#enter("closed");
    this.#waiters.rejectAll(() => this.#unavailable("closed"));
    this.#giveUp?.abort(this.#unavailable("closed"));
    await Promise.all([this.#starting, this.#remains, life?.connection.close().catch(() => {})]);
  }

  #enter(state: SourceState, reason?: string, nextTryMs?: number): void {
    this.#state = state;
    this.#ports.emit({ type: "source-state", source: this.name, state, reason, restarts: this.#restarts, nextTryMs });
  }

  #stillStarting(): ZaguanError {
    const params = { source: this.name, seconds: STILL_STARTING_MS / 1_000 };
    return new ZaguanError("SOURCE_STARTING", { params, delivery: "not_sent", retryAfterMs: STILL_STARTING_MS });
  }

  #keepsFailing(): ZaguanError {
    const ms = this.#nextTryAt - this.#ports.clock.now();
    // One that may be back any moment is no reason to wait: whoever has patience asks again.
    const retryAfterMs = this.#isEager && ms <= EAGER_CAP_MS ? undefined : Math.max(1000, ms);
    return this.#unavailable(`keeps failing: ${this.#lastFailure?.reason ?? "no reason known"}`, retryAfterMs);
  }

  #unavailable(reason: string, retryAfterMs?: number): ZaguanError {
    return unavailable(this.name, reason, undefined, retryAfterMs);
  }

  /** What is not one of our errors is for the log, and what a server says in its own words is not for callers. */
  #failureOf(error: unknown): Ending {
    if (!(error instanceof ZaguanError)) {
      this.#ports.emit({ type: "internal-error", reference: this.name, cause: error });
      return unfit("it failed in an unexpected way");
    }
    const { params, relayed, words } = error.details;
    if (relayed) return { kind: "unfit", reason: "it refused the handshake", words: relayed.message };
    const reason = typeof params?.["reason"] === "string" ? params["reason"] : sayError("en", error);
    return { kind: "lost", reason, words, obstacle: obstacleOf(error) };
  }
}

function nothing(): void {}

function unasked(method: string): ZaguanError {
  return new ZaguanError("UNKNOWN_METHOD", { params: { method } });
}
