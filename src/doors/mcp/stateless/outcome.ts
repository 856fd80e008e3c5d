/** What a request of a stateless revision came to, worded for its client; who sends it, and how, is the carrier's business. */
import type { ZaguanError } from "../../../errors.ts";
import { encodeError, encodeErrorText } from "../../../protocol/json-rpc/message.ts";
import { REFUSED_BY_HUB, SERVER_INFO } from "../../../protocol/mcp/envelope.ts";
import { stampResult } from "../../../protocol/mcp/stamp.ts";
import { errorResult, tellable } from "../failure.ts";
import { SELF } from "../self.ts";
import type { StatelessContext, StatelessFace, StatelessRequest } from "./face.ts";
import { modernError, untouchedModernError } from "./failure.ts";

export interface Outcome {
  /** The whole message. */
  readonly text: string;
  /** Undefined if it is a result. */
  readonly error: ZaguanError | undefined;
}

/** Never rejects, even if there is nobody to ask. */
export async function outcomeOf(
  find: () => StatelessFace,
  call: StatelessRequest,
  context: StatelessContext,
  report: (cause: unknown) => string,
): Promise<Outcome> {
  let face: StatelessFace | undefined;
  try {
    face = find();
    return succeeded(call.id, await face.answer(call, context));
  } catch (cause) {
    const error = tellable(cause, report);
    // The model is to see what was wrong with its arguments.
    if (error.code !== "INVALID_ARGUMENT") return failed(call.id, error, context, face?.untouched);
    return succeeded(call.id, stampResult(errorResult(error, context.language).text, refusedMeta(error)));
  }
}

export function failed(
  id: string,
  error: ZaguanError,
  { language }: Pick<StatelessContext, "language">,
  untouched = false,
): Outcome {
  const own = untouched ? untouchedModernError(error) : undefined;
  const text = own === undefined ? encodeError(id, modernError(error, language)) : encodeErrorText(id, own);
  return { text, error };
}

/** No tool said this: who shows results to people can tell, by the same code as in errors. */
function refusedMeta({ code }: ZaguanError): Readonly<Record<string, string>> {
  return { _meta: JSON.stringify({ [SERVER_INFO]: SELF, [REFUSED_BY_HUB]: { code } }) };
}

function succeeded(id: string, result: string): Outcome {
  return { text: `{"jsonrpc":"2.0","id":${id},"result":${result}}`, error: undefined };
}
