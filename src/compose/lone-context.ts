/**
 * For a connection beside the hub's own, which ends with its answer: nobody listens to it. It is shown all that a client
 * may see.
 */
import { ZaguanError } from "../errors.ts";
import type { OnStep } from "../registry/ports.ts";
import { ASKABLE, type ConnectContext } from "../sources/source.ts";
import { systemClock } from "./system.ts";

export function loneContext(name: string, onStep: OnStep = () => {}): ConnectContext {
  return {
    name,
    client: ASKABLE,
    clock: systemClock,
    emit: () => {},
    onToolsChanged: () => {},
    onNotification: () => {},
    onRequest: (method) => Promise.reject(new ZaguanError("UNKNOWN_METHOD", { params: { method } })),
    onLog: () => {},
    onAttempt: onStep,
  };
}
