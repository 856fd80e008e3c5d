/** What the tools of abilities share: descriptions in every language, out of the catalogue, and taking turns. */
import { LANGUAGES, type MessageKey, say } from "../../messages/catalogue.ts";
import type { UserTool } from "../../user-tools/tool.ts";

export function described(key: MessageKey): Pick<UserTool, "description" | "descriptions"> {
  const descriptions = Object.fromEntries(LANGUAGES.map((language) => [language, say(language, key)]));
  return { description: say("en", key), descriptions };
}

/** Work that must not overlap, in the order in which it was asked for. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves when all that was asked for until now is done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
