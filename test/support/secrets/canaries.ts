/** Secrets that are planted, each in a place of its own, and the search for them in whatever spelling. */
import { createHash } from "node:crypto";

/** Some have what URLs, JSON and HTML write otherwise. */
const TAILS = ["", "+/=Ab9", "&<k>7", "%2Bq'3"];

export class Canaries {
  readonly #places = new Map<string, string>();
  readonly #spellings: (readonly [spelling: string, place: string])[] = [];

  get count(): number {
    return this.#places.size;
  }

  /** The secret of this place. */
  plant(place: string, tail: string = TAILS[this.count % TAILS.length] ?? ""): string {
    return this.know(
      place,
      `Zc${this.count}x${createHash("sha256").update(place).digest("hex").slice(0, 18)}Q7${tail}`,
    );
  }

  /** One that the hub made itself. */
  know(place: string, secret: string): string {
    this.#places.set(place, secret);
    this.#spellings.push(...[...spellingsOf(secret)].map((spelling) => [spelling, place] as const));
    return secret;
  }

  /** The places whose secrets stand in a text. */
  foundIn(text: string): string[] {
    return [...new Set(this.#spellings.filter(([spelling]) => text.includes(spelling)).map(([, place]) => place))];
  }
}

function spellingsOf(secret: string): Set<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const html = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("'", "&#39;");
  const escaped = [...secret].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  const url = [encodeURIComponent(secret), new URLSearchParams({ k: secret }).toString().slice(2)];
  const hex = Buffer.from(secret).toString("hex");
  // A part that cannot be by chance, too: a secret that was cut is one that was told.
  const parts = [secret.slice(0, 14), secret.slice(4, 18)];
  return new Set([
    secret,
    json,
    json.replaceAll("/", "\\/"),
    html,
    escaped,
    ...url,
    hex,
    ...inBase64(secret),
    ...parts,
  ]);
}

/** Wherever it stands in what was encoded: three ways, each without the characters that its neighbours have a part in. */
function inBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from("\0".repeat(before) + secret);
    const whole = Math.floor(bytes.length / 3) * 4;
    const first = before === 0 ? 0 : 4;
    return ["base64", "base64url"].map((form) => bytes.toString(form as "base64").slice(first, whole));
  });
}
