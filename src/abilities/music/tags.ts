/** Title and artist out of the beginning of a music file: ID3v2 of mp3 and vorbis comments of flac, no more than that. */

export interface Tags {
  readonly title?: string | undefined;
  readonly artist?: string | undefined;
}

/** ID3v2.2 has names of three letters, later versions of four. */
const FRAMES: Readonly<Record<string, keyof Tags>> = { TIT2: "title", TPE1: "artist", TT2: "title", TP1: "artist" };
const ENCODINGS = ["latin1", "utf-16", "utf-16be", "utf-8"] as const;
const COMMENTS = 4;

export function tagsIn(head: Buffer): Tags {
  try {
    if (head.toString("latin1", 0, 3) === "ID3") return id3In(head);
    return head.toString("latin1", 0, 4) === "fLaC" ? flacIn(head) : {};
  } catch (error) {
    // A tag that is cut off or broken has nothing to say.
    if (error instanceof RangeError) return {};
    throw error;
  }
}

function id3In(head: Buffer): Tags {
  const [version, flags] = [head.readUInt8(3), head.readUInt8(5)];
  const end = Math.min(head.length, 10 + sevenBits(head, 6));
  const nameLength = version === 2 ? 3 : 4;
  const headerLength = version === 2 ? 6 : 10;
  const tags: { title?: string; artist?: string } = {};
  let at = 10 + extendedHeader(head, version, flags);
  while (at + headerLength < end && head[at] !== 0) {
    const kind = FRAMES[head.toString("latin1", at, at + nameLength)];
    const size = frameSize(head, at + nameLength, version);
    const start = at + headerLength;
    if (kind && start + size <= end) tags[kind] ??= textIn(head.subarray(start, start + size));
    at = start + size;
  }
  return tags;
}

function extendedHeader(head: Buffer, version: number, flags: number): number {
  if (version === 2 || (flags & 0x40) === 0) return 0;
  return version === 4 ? sevenBits(head, 10) : 4 + head.readUInt32BE(10);
}

function frameSize(head: Buffer, at: number, version: number): number {
  if (version === 2) return head.readUIntBE(at, 3);
  return version === 4 ? sevenBits(head, at) : head.readUInt32BE(at);
}

/** Four bytes of which each holds seven bits. */
function sevenBits(head: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((sum, index) => sum * 128 + (head.readUInt8(at + index) & 0x7f), 0);
}

function textIn(frame: Buffer): string | undefined {
  const encoding = ENCODINGS[frame[0] ?? 0] ?? "latin1";
  const isBigEndian = encoding === "utf-16" && frame[1] === 0xfe && frame[2] === 0xff;
  const text = new TextDecoder(isBigEndian ? "utf-16be" : encoding).decode(frame.subarray(1));
  return text.split("\0")[0]?.trim() || undefined;
}

function flacIn(head: Buffer): Tags {
  for (let at = 4; at + 4 < head.length; ) {
    const [type, size] = [head.readUInt8(at), head.readUIntBE(at + 1, 3)];
    if ((type & 0x7f) === COMMENTS) return commentsIn(head.subarray(at + 4, at + 4 + size));
    if (type >= 0x80) break;
    at += 4 + size;
  }
  return {};
}

function commentsIn(block: Buffer): Tags {
  const tags: { title?: string; artist?: string } = {};
  let at = 4 + block.readUInt32LE(0);
  const count = block.readUInt32LE(at);
  at += 4;
  for (let index = 0; index < count && at + 4 <= block.length; index++) {
    const size = block.readUInt32LE(at);
    const [, name, value] = /^(title|artist)=(.+)$/is.exec(block.toString("utf8", at + 4, at + 4 + size)) ?? [];
    if (name && value) tags[name.toLowerCase() as keyof Tags] ??= value;
    at += 4 + size;
  }
  return tags;
}
