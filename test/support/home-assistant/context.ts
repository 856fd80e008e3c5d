/** Who caused a change: Home Assistant gives every change a context, whose id is a ULID. */
import { randomInt } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export interface Context {
  readonly id: string;
  readonly parent_id: string | null;
  readonly user_id: string | null;
}

export function newContext(user_id: string | null = null, parent_id: string | null = null): Context {
  return { id: ulid(), parent_id, user_id };
}

/** Nothing secret: it must only be cheap, for a house has thousands of them. */
function ulid(): string {
  let [time, text] = [Date.now(), ""];
  for (let place = 0; place < 10; place++, time = Math.floor(time / 32)) text = ALPHABET.charAt(time % 32) + text;
  for (let place = 0; place < 16; place++) text += ALPHABET.charAt(randomInt(32));
  return text;
}
