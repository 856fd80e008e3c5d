/**
 * The log: JSON lines on stderr, or short lines if stderr is a terminal, and what of the hub's events is written to it.
 * Written at once, so that the last words before an exit are there. Never writes to stdout, which belongs to the stdio doors,
 * and never fails its caller.
 */
import { isatty } from "node:tty";
import { type DestinationStream, type Logger, pino } from "pino";
import type { LogConfig } from "../config/types.ts";
import type { Call } from "../core/call.ts";
import type { HubEvent } from "../core/events.ts";
import { type Fields, redactFields, redactText } from "./redact.ts";

type LogLevel = LogConfig["level"];
export type WriteLog = (message: string, fields?: object) => void;

export interface Log {
  readonly trace: WriteLog;
  readonly debug: WriteLog;
  readonly info: WriteLog;
  readonly warn: WriteLog;
  readonly error: WriteLog;
  /** Whether anything is written at this level: what is costly to say need not be made for nobody. */
  isOn(level: Exclude<LogLevel, "silent">): boolean;
  /** A log whose every line also has these fields. */
  child(fields: object): Log;
  /** Changes the level of this log, its parent and all its children. */
  level(newLevel: LogLevel): void;
}

interface LogOptions {
  readonly level: LogLevel;
  /** A file descriptor. @default 2 */
  readonly destination?: number | undefined;
  /** Short lines for a person instead of JSON. @default whether the destination is a terminal */
  readonly terminal?: boolean | undefined;
}

const STDERR = 2;

export function openLog(options: LogOptions): Log {
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // pino's own for `err` would take our copy of an error apart once more.
      serializers: { err: (err) => err },
    },
    openDestination(options),
  );
  return makeLog(logger, {});
}

function openDestination({ destination = STDERR, terminal = isatty(destination) }: LogOptions): DestinationStream {
  const stream = pino.destination({ dest: destination, sync: true });
  // A full disk or a reader that left must not end the hub.
  stream.on("error", () => {});
  return terminal ? { write: (json) => void stream.write(terminalLine(json)) } : stream;
}

/** Children share the one logger, and so its level: pino's own children would keep the level they were born with. */
function makeLog(logger: Logger, bound: Fields): Log {
  const at =
    (level: Exclude<LogLevel, "silent">): WriteLog =>
    (message, fields = {}) => {
      if (logger.isLevelEnabled(level)) {
        logger[level](withoutReserved({ ...bound, ...redactFields(fields) }), redactText(message));
      }
    };
  return {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isOn: (level) => logger.isLevelEnabled(level),
    child: (fields) => makeLog(logger, { ...bound, ...redactFields(fields) }),
    level: (newLevel) => {
      logger.level = newLevel;
    },
  };
}

/** A field named like one of the line's own would give a line with two `level`s, and a reader would believe the last. */
function withoutReserved({ level, time, msg, ...fields }: Fields): Fields {
  const renamed = { level_: level, time_: time, msg_: msg };
  return { ...Object.fromEntries(Object.entries(renamed).filter(([, value]) => value !== undefined)), ...fields };
}

/** Control characters, and those that turn the direction of writing. */
const STEERING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A JSON line of our own log for a person at a terminal: `HH:MM:SS level message key=value…`, free of anything that steers it. */
export function terminalLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`);
  return `${clock(String(time))} ${String(level).padEnd(5)} ${escaped(`${msg ?? ""}${pairs.join("")}`)}\n`;
}

function clock(utc: string): string {
  const date = new Date(utc);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

function shown(value: unknown): string {
  if (typeof value === "string" && /^[^\s"=]+$/.test(value)) return value;
  return JSON.stringify(value, withoutStack);
}

/** Stack traces are for the JSON log: at a terminal the message must not drown. */
function withoutStack(name: string, value: unknown): unknown {
  return name === "stack" ? undefined : value;
}

function escaped(text: string): string {
  return text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

type EventOf<Type extends HubEvent["type"]> = Extract<HubEvent, { type: Type }>;
type Writers = { readonly [Type in HubEvent["type"]]: (log: Log, event: EventOf<Type>) => unknown };

const NOISE_LENGTH = 200;

/** A new kind of event does not compile until it has its line here. */
const WRITERS: Writers = {
  "call-started": (log, { call }) => log.isOn("trace") && log.trace("call started", summarize(call)),
  "call-ended": logCallEnded,
  "call-retried": (log, { call, attempt, delayMs }) =>
    log.debug("call retried", { ...summarize(call), attempt, delayMs }),
  "source-state": logSourceState,
  "source-silent": (log, { source, isSilent }) =>
    isSilent
      ? log.warn("source does not answer; its calls are refused until it does", { source })
      : log.info("source answers again", { source }),
  "source-noise": (log, { source, line }) => log.debug("source noise", { source, line: cut(line) }),
  "source-warning": (log, { source, line }) => log.warn(cut(line), { source }),
  "tools-changed": (log, event) => log.info("tools changed", fieldsOf(event)),
  "name-clash": (log, event) => log.warn("tool name taken; the other tool is renamed", fieldsOf(event)),
  "config-reloaded": (log, event) => log.info("configuration reloaded", fieldsOf(event)),
  "config-refused": (log, event) => log.error("configuration refused; the last good one stays", fieldsOf(event)),
  "internal-error": (log, { reference, cause }) => log.error("internal error", { reference, err: cause }),
};

/** Writes one line for each event, at the level at which somebody would want to read it. */
export function logEvents(log: Log): (event: HubEvent) => void {
  return (event) => {
    const write = WRITERS[event.type] as (log: Log, event: HubEvent) => unknown;
    write(log, event);
  };
}

/** A failure is told to its caller; only one that is our own fault is worth somebody's attention here. */
function logCallEnded(log: Log, event: EventOf<"call-ended">): void {
  const level = event.error === "INTERNAL" ? "warn" : "debug";
  if (!log.isOn(level)) return;
  const { call, type: _, ...outcome } = event;
  log[level](event.error ? "call failed" : "call ended", { ...summarize(call), ...outcome });
}

/** What may be told of a call: never its arguments. */
function summarize({ id, door, source, name: tool, priority, principal }: Call): object {
  return { id, door, principal: principal.id, source, tool, priority };
}

function logSourceState(log: Log, event: EventOf<"source-state">): void {
  const fields = fieldsOf(event);
  if (event.state === "broken") log.error("source broken", fields);
  else if (event.state === "waiting") log.warn("source lost; it will be started again", fields);
  else if (event.state === "ready") log.info("source ready", fields);
  else log.debug(`source ${event.state}`, fields);
}

function fieldsOf({ type: _, ...fields }: HubEvent): object {
  return fields;
}

function cut(line: string): string {
  return line.slice(0, NOISE_LENGTH).toWellFormed();
}
