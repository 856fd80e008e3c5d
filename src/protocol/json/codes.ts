/**
 * The characters of a text as numbers in an array. Reading them there costs a fraction of what `charCodeAt` does, and the
 * copy little as long as it goes into memory that is in use anyway: hence one array for all texts that are not huge.
 */

/** As long as the longest text yet, up to this many characters. */
const LONGEST_KEPT = 2 ** 20;
const SHORTEST = 2 ** 12;
/** Zeros behind the text, so that whoever reads on to look what follows need not ask first. */
const MARGIN = 2;
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

interface Copy {
  readonly codes: Uint16Array;
  /** The same memory. */
  readonly bytes: Buffer;
}

let kept = room(SHORTEST);

/** Good until the next text comes. */
export function codesOf(text: string): Uint16Array {
  const { length } = text;
  const copy = length + MARGIN <= kept.codes.length ? kept : larger(length);
  if (IS_LITTLE_ENDIAN) copy.bytes.write(text, 0, "utf16le");
  else for (let at = 0; at < length; at++) copy.codes[at] = text.charCodeAt(at);
  copy.codes[length] = 0;
  copy.codes[length + 1] = 0;
  return copy.codes;
}

function larger(length: number): Copy {
  if (length > LONGEST_KEPT) return room(length);
  kept = room(Math.max(length, Math.min(2 * kept.codes.length, LONGEST_KEPT)));
  return kept;
}

function room(length: number): Copy {
  const bytes = Buffer.allocUnsafeSlow(2 * (length + MARGIN));
  return { bytes, codes: new Uint16Array(bytes.buffer, bytes.byteOffset, length + MARGIN) };
}
