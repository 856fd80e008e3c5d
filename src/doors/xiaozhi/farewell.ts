/** How a connection ended, in plain words: what the far ends of this family mean by their close codes. */

export interface Farewell {
  /** For the status and the log. */
  readonly reason: string;
  /** Cut without a word; closed on purpose, by the far end or for what it did; closed because another has our token. */
  readonly kind: "lost" | "goodbye" | "replaced";
}

const CLOSED = /^the server closed the connection(?: \((?:(\d{4}))?(?:: )?(.*)\))?$/s;
/** How a link tells that it had to hang up itself. */
const MISBEHAVED = /^it (?:sent|broke) /;
const NORMAL = "1000";
/** 「新连接替换」 is how the relay says it. */
const REPLACED = /替换|replaced/i;
/** Nothing that anybody would say is one word of such a length: it may be a piece of our token. */
const LONG_WORD = /[!-~]{24,}/g;

const WORDS: Readonly<Record<string, string>> = {
  "1001": "it is going away",
  "1008": "it does not accept our token",
  "1009": "what we sent is too large for it",
  "1011": "it failed",
  "1012": "it is being restarted",
  "1013": "it is too busy",
  "4001": "it does not accept our token",
  "4003": "it does not accept our token",
  // The endpoint says so whenever it does not like what it hears.
  "4004": "it did not understand our greeting or our list of tools, or failed itself",
};

/**
 * @param ending as a link of WebSocket tells it
 * @param secrets what the far end may repeat and we do not
 */
export function farewellOf(ending: string, secrets: readonly string[] = []): Farewell {
  const closed = CLOSED.exec(ending);
  if (!closed) return { reason: ending, kind: MISBEHAVED.test(ending) ? "goodbye" : "lost" };
  const [, code = "", said = ""] = closed;
  const text = secrets.reduce((told, secret) => told.replaceAll(secret, "…"), said).replace(LONG_WORD, "…");
  if (code === NORMAL && REPLACED.test(text)) {
    return {
      reason: `another connection with the same token took our place${inBrackets(code, text)}`,
      kind: "replaced",
    };
  }
  return { reason: `${WORDS[code] ?? "it closed the connection"}${inBrackets(code, text)}`, kind: "goodbye" };
}

function inBrackets(code: string, text: string): string {
  const told = [code, text].filter((part) => part !== "").join(": ");
  return told === "" ? "" : ` (${told})`;
}
