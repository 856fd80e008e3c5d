/** Turns what happens in the hub into log lines, one each, at the level at which somebody would want to read it. */
import type { Call } from "../core/call.ts";
import type { HubEvent } from "../core/events.ts";
import type { Log } from "./log.ts";

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
