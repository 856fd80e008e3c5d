/** Frames of the module's manual (V1.0.6), and a code that somebody's module learned. */
import { encodeFrame, hexOf } from "../../../src/abilities/infrared/frame.ts";

export const ENTER = "68 07 00 ff 20 1f 16";
export const EXIT = "68 07 00 ff 21 20 16";
export const GET_BAUD = "68 07 00 ff 04 03 16";
export const BAUD = "68 08 00 00 04 04 08 16";
export const GET_ADDRESS = "68 07 00 ff 06 05 16";
export const ADDRESS = "68 08 00 00 06 00 06 16";
export const SEND_INTERNAL = "68 08 00 ff 12 00 11 16";
export const ACK = "68 08 00 00 01 00 01 16";
export const REFUSAL = "68 08 00 00 01 01 02 16";

/** The code of the manual's sample of learning: 117 bytes, whose frame ends in 39 16. */
export const CODE = [
  "84 01 21 83 01 21 2d 77 83 01 21 83 01 21 2d 77 2d 77 2d 77 2a 7a 2d 77",
  "81 01 23 2d ad 06 83 01 21 81 01 23 2b 79 81 01 23 81 01 23 2b 79 2b 79 2b 7a 2b 79 2b",
  "7a 81 01 23 2b af 06 81 01 23 81 01 23 2b 79 81 01 23 81 01 23 2b 7a 2b 79 2b 7a 28 7c 29",
  "7c 7f 25 2b af 06 80 01 24 82 01 23 2b 79 82 01 22 84 01 20 2e 76 2e 77 2e 77 2b 79 2b 79",
  "84 01 20 2b",
].join(" ");
export const LEARNED = `68 7c 00 00 22 ${CODE} 39 16`;

/** 91 bytes, 73 durations. */
export const LONG_CODE = [
  "a9 04 c5 04 39 4d 3f 50 39 5a 36 e0 01 39 dd 01 3c 50 38 5a 36 4d 3f 4d 3f 4d 3f 4d 3f da 01 3c e1 01 3c 50 3c 53",
  "39 50 3c 50 39 dd 01 3c e4 01 3c 4d 3c 4c 40 da 01 3f e1 01 38 4d 3c e0 01 3c 50 3c 50 3c dd 01 3c da 01 3f 4d 40",
  "4d 3f e0 01 3c cc 30 ac 04 c2 04 3c e0 01 39",
].join(" ");

/** The frame in which a code is sent. */
export function sent(code: string): string {
  return hexOf(encodeFrame(0x22, Buffer.from(code.replaceAll(" ", ""), "hex")));
}
