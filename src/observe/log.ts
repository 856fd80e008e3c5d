/**
 * The log: JSON lines on stderr, or short lines if stderr is a terminal. Written at once, so that the last words before
 * an exit are there. Never writes to stdout, which belongs to the stdio doors, and never fails its caller.
 */
import { isatty } from "node:tty";
import { type DestinationStream, type Logger, pino } from "pino";
import type { LogConfig } from "../config/types.ts";
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
