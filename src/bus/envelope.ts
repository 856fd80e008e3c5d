/**
 * What stands before the sealed part of a message, in clear but authenticated (associated data of AES-GCM). All numbers are
 * big-endian:
 *
 *   version 1 · key id 4 · sender's boot 16 · receiver's boot 16 (zeros: any) · counter 6 · time 6 · length of name 1 · sender's name
 *
 * Behind it stand the sealed content and a tag of 16 bytes.
 */
import type { NodeId } from "./bus.ts";
import { isNodeName } from "./names.ts";

export interface Header {
  readonly keyId: number;
  readonly node: NodeId;
  readonly boot: string;
  /** "" for any life of the receiver. */
  readonly receiverBoot: string;
  readonly counter: number;
  /** The sender's clock, in milliseconds since 1970. */
  readonly time: number;
}

const VERSION = 1;
const KEY_ID_AT = 1;
const BOOT_AT = 5;
const RECEIVER_AT = 21;
const COUNTER_AT = 37;
const TIME_AT = 43;
const NAME_LENGTH_AT = 49;
const NAME_AT = 50;
const BOOT = /^[\w-]{22}$/;
const ANY_BOOT = Buffer.alloc(16);

export const TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** The most that an envelope adds to its content. */
export const OVERHEAD_BYTES: number = NAME_AT + 32 + TAG_BYTES;

export function isBoot(text: string): boolean {
  return BOOT.test(text);
}

export function writeHeader({ keyId, node, boot, receiverBoot, counter, time }: Header): Buffer {
  const header = Buffer.alloc(NAME_AT + node.length);
  header.writeUInt8(VERSION);
  header.writeUInt32BE(keyId, KEY_ID_AT);
  header.write(boot, BOOT_AT, "base64url");
  if (receiverBoot !== "") header.write(receiverBoot, RECEIVER_AT, "base64url");
  header.writeUIntBE(counter, COUNTER_AT, 6);
  header.writeUIntBE(time, TIME_AT, 6);
  header.writeUInt8(node.length, NAME_LENGTH_AT);
  header.write(node, NAME_AT, "latin1");
  return header;
}

/** The header and where it ends; undefined for anything that we never wrote. */
export function readHeader(bytes: Buffer): { readonly header: Header; readonly end: number } | undefined {
  if (bytes.length < NAME_AT || bytes[0] !== VERSION) return undefined;
  const end = NAME_AT + bytes.readUInt8(NAME_LENGTH_AT);
  if (bytes.length < end + TAG_BYTES) return undefined;
  const node = bytes.toString("latin1", NAME_AT, end);
  if (!isNodeName(node)) return undefined;
  const receiver = bytes.subarray(RECEIVER_AT, COUNTER_AT);
  const header = {
    keyId: bytes.readUInt32BE(KEY_ID_AT),
    node,
    boot: bytes.toString("base64url", BOOT_AT, RECEIVER_AT),
    receiverBoot: receiver.equals(ANY_BOOT) ? "" : receiver.toString("base64url"),
    counter: bytes.readUIntBE(COUNTER_AT, 6),
    time: bytes.readUIntBE(TIME_AT, 6),
  };
  return { header, end };
}

/** A key is used in one life only, and a counter once in it: no nonce comes twice under a key. */
export function nonceOf(counter: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(counter, NONCE_BYTES - 6, 6);
  return nonce;
}

/** The subject holds the cluster's prefix and the receiver: a message that is moved to another subject does not open. */
export function associatedData(subject: string, header: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${subject}\0`, "latin1"), header]);
}
