/** What a command of the WebSocket is: the fields it takes, and what it does. */
import type { House } from "../house.ts";
import type { Session } from "../session.ts";
import type { Data, Schema } from "../voluptuous.ts";

export interface CommandMessage extends Data {
  readonly id: number;
  readonly type: string;
}

export interface Command {
  readonly fields: Schema;
  run(session: Session, message: CommandMessage): void;
}

export const NO_FIELDS: Schema = {};

export function required<T>(check: T): { readonly required: T } {
  return { required: check };
}

/** A command that takes nothing and answers at once. */
export function answering(make: (house: House) => unknown): Command {
  return { fields: NO_FIELDS, run: (session, { id }) => session.result(id, make(session.house)) };
}
