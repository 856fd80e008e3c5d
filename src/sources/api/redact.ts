/** Takes our secrets out of what an API says, for some answer with the request they got. */
import { isFields } from "./arguments.ts";
import { percentEncode } from "./encode.ts";

export const REDACTED = "[redacted]";

/** What is shorter is found everywhere, and to take it out would spoil the answer without hiding anything. */
const SHORTEST = 4;

export class Redaction {
  readonly #forms: readonly string[];

  constructor(secrets: readonly string[]) {
    const forms = secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf);
    // The longer first: one may be a part of another.
    this.#forms = [...new Set(forms)].sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let clean = text;
    for (const form of this.#forms) if (clean.includes(form)) clean = clean.replaceAll(form, REDACTED);
    return clean;
  }

  /** The same object where there was nothing to take out. */
  value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#forms.includes(String(value)) ? REDACTED : value;
    if (Array.isArray(value)) return this.#list(value);
    return isFields(value) ? this.#fields(value) : value;
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    const clean = list.map((item) => this.value(item));
    return clean.some((item, index) => item !== list[index]) ? clean : list;
  }

  #fields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const entries = Object.entries(fields);
    const clean = entries.map(([key, value]) => [this.text(key), this.value(value)] as const);
    const isSame = clean.every(([key, value], index) => key === entries[index]?.[0] && value === entries[index]?.[1]);
    return isSame ? fields : Object.fromEntries(clean);
  }
}

/** As it is, as a URL or a form has it, and as JSON and HTML write it. */
function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  const inHtml = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const forms = [secret, inJson, inJson.replaceAll("/", "\\/"), inForm, inHtml, inHtml.replaceAll('"', "&quot;")];
  return [...forms, percentEncode(secret), encodeURIComponent(secret.toWellFormed()), encodeURI(secret.toWellFormed())];
}
