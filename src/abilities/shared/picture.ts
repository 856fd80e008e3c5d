/** A picture that a program took: proved to be one before anybody is told so, and what a tool answers with it. */
import type { Content } from "../../user-tools/tool.ts";

export interface Picture {
  readonly bytes: Buffer;
  readonly mimeType: "image/png" | "image/jpeg";
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_END = Buffer.from("IEND");
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

/** Undefined for what is no picture, or only the beginning of one. */
export function pictureIn(bytes: Buffer): Picture | undefined {
  if (startsWith(bytes, JPEG)) return { bytes, mimeType: "image/jpeg" };
  // The last chunk is its empty end, and four bytes of a checksum.
  const isWhole = startsWith(bytes, PNG) && bytes.length > 32 && bytes.subarray(-8, -4).equals(PNG_END);
  return isWhole ? { bytes, mimeType: "image/png" } : undefined;
}

/** A PNG says its size in its first chunk. */
export function sizeOfPng({ bytes }: Picture): { readonly width: number; readonly height: number } {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

export function imageContent({ bytes, mimeType }: Picture): Content {
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.subarray(0, head.length).equals(head);
}
