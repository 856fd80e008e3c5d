/**
 * A link through which no secret comes back: whoever is at its other end was given them, and may repeat them in messages, in what it
 * writes into its log, in what is no message at all, and in the reason for which it ends or refuses.
 */

import { ZaguanError } from "../errors.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import { Redaction } from "../security/redaction.ts";
import type { Ending } from "./ending.ts";
import { type Link, type LinkHandlers, TAKEN } from "./link.ts";
import type { HttpLinkHandlers } from "./streamable-http.ts";

/** Where there are no secrets, nothing stands between. */
export async function openRedacted<Handlers extends LinkHandlers, Opened extends Link>(
  secrets: readonly string[],
  handlers: Handlers,
  open: (handlers: Handlers) => Promise<Opened>,
): Promise<Opened> {
  if (secrets.length === 0) return open(handlers);
  const redaction = new Redaction(secrets);
  try {
    return redactedLink(await open({ ...handlers, ...redactedHandlers(handlers, redaction) }), redaction);
  } catch (error) {
    throw redactedError(error, redaction);
  }
}

function redactedHandlers(handlers: Partial<HttpLinkHandlers>, redaction: Redaction): Partial<HttpLinkHandlers> {
  const { onMessage, onLog, onNoise, onTooLarge, onAnswerEnded } = handlers;
  return {
    ...(onMessage && { onMessage: (message, sent) => onMessage(redaction.json(message), sent) }),
    ...(onLog && { onLog: (line) => onLog(redaction.piece(line)) }),
    ...(onNoise && { onNoise: (line) => onNoise(redaction.piece(line)) }),
    ...(onTooLarge && { onTooLarge: (message) => onTooLarge(redactedCut(message, redaction)) }),
    ...(onAnswerEnded && {
      onAnswerEnded: (sent, error) => onAnswerEnded(sent, error && redactedError(error, redaction)),
    }),
  };
}

function redactedCut(message: CutMessage, redaction: Redaction): CutMessage {
  return { ...message, head: redaction.piece(message.head), tail: redaction.text(message.tail) };
}

function redactedLink<Opened extends Link>(link: Opened, redaction: Redaction): Opened {
  const send: Link["send"] = link.send.bind(link);
  const closed = link.closed.then((ending) => redactedEnding(ending, redaction));
  const sendClean = (...args: Parameters<Link["send"]>): Promise<void> => {
    const sending = send(...args);
    if (sending === TAKEN) return TAKEN;
    return sending.catch((error) => Promise.reject(redactedError(error, redaction)));
  };
  return Object.defineProperties(link, { send: { value: sendClean }, closed: { value: closed } });
}

function redactedEnding({ words, ...ending }: Ending, redaction: Redaction): Ending {
  const reason = redaction.piece(ending.reason);
  return { ...ending, reason, ...(words !== undefined && { words: redaction.piece(words) }) };
}

/** The same failure, without secrets in its words and in those of its causes. */
function redactedError<Failure>(error: Failure, redaction: Redaction): Failure {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    cause.message = redaction.piece(cause.message);
    if (cause.stack !== undefined) cause.stack = redaction.piece(cause.stack);
  }
  if (!(error instanceof ZaguanError)) return error;
  const { params, relayed, data } = error.details;
  const told = { params, relayed, data };
  const clean = redaction.value(told) as typeof told;
  return clean === told ? error : (error.with(clean) as Failure & ZaguanError);
}
