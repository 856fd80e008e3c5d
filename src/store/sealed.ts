/**
 * What is stored under seal, in whichever table it stands, so that it can be sealed anew with another key. A contract like
 * `store.ts`.
 */

export type SealedPlace = "server" | "api" | "api-description" | "tool-description";

export interface SealedText {
  readonly place: SealedPlace;
  /** Of the server, the API or the tool. */
  readonly id: string;
  /** What it was sealed for: the name of the server, or the id of the API. */
  readonly owner: string;
  /** Opaque here. Of a description the whole of it, of which a part may be under seal. */
  readonly text: string;
}

export interface SealedTexts {
  list(): Promise<readonly SealedText[]>;
  /** Writes a text in the place of the one that was read, unless that has changed since; tells whether it did. No time of change moves. */
  replace(read: SealedText, text: string): Promise<boolean>;
}
