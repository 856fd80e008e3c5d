import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ZaguanError } from "../errors.ts";
import { mediaType, noProgress, openBody, TextBody } from "./http-body.ts";

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"text":"¡Olé, 世界 🎉!"}}';
const BYTES = Buffer.from(ANSWER);

describe("an answer of one JSON text", () => {
  it("is the same, wherever its bytes are cut", () => {
    for (let at = 0; at <= BYTES.length; at++) {
      assert.deepEqual(read([BYTES.subarray(0, at), BYTES.subarray(at)]), [ANSWER], `cut at ${at}`);
    }
    assert.deepEqual(read([...BYTES].map((byte) => Buffer.of(byte))), [ANSWER]);
    assert.deepEqual(read([new Uint8Array(BYTES)]), [ANSWER]);
  });

  it("loses a byte order mark, and keeps blanks and all else that is in it", () => {
    assert.deepEqual(read([Buffer.of(0xef, 0xbb, 0xbf), BYTES]), [ANSWER]);
    assert.deepEqual(read([Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), BYTES])]), [ANSWER]);
    assert.deepEqual(read([Buffer.from(` \n${ANSWER}\n`)]), [` \n${ANSWER}\n`]);
  });

  it("is several messages if it is an array, and none if it is blank", () => {
    assert.deepEqual(read([Buffer.from(`[${ANSWER},{"id":2}]`)]), [ANSWER, '{"id":2}']);
    assert.deepEqual(read([Buffer.from(" \n")]), []);
    assert.deepEqual(read([]), []);
  });

  it("is refused if it is no UTF-8, in one piece or in several", () => {
    const broken = Buffer.from([0x7b, 0xc3, 0x28, 0x7d]);
    for (const pieces of [[broken], [broken.subarray(0, 2), broken.subarray(2)]]) {
      assert.throws(() => read(pieces), isSourceError);
    }
  });

  it("is refused with its size if it is too large: at once if it says so itself, else at its end", () => {
    const isTooLarge = (bytes: number) => (error: unknown) =>
      error instanceof ZaguanError && error.code === "ANSWER_TOO_LARGE" && error.details.params?.["bytes"] === bytes;
    assert.throws(() => new TextBody({ "content-length": "11" }, 10, "house"), isTooLarge(11));
    const body = new TextBody({}, 10, "house");
    for (let i = 0; i < 30; i++) body.push(Buffer.from("x"));
    assert.throws(() => body.text(), isTooLarge(30));
  });

  it("is refused before its end if that is not worth waiting for", () => {
    const body = new TextBody({}, 10, "house");
    body.push(Buffer.alloc(640));
    assert.throws(() => body.push(Buffer.alloc(1)), /ANSWER_TOO_LARGE/);
  });
});

describe("the type of an answer", () => {
  it("is read without its parameters, in any case", () => {
    const types = { "application/json": "application/json", "Text/Event-Stream ; charset=utf-8": "text/event-stream" };
    for (const [said, type] of Object.entries(types)) assert.equal(mediaType({ "content-type": said }), type);
    assert.equal(mediaType({}), "");
  });

  it("may be any that is JSON underneath", () => {
    for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.x+json"]) {
      assert.deepEqual(read([BYTES], type), [ANSWER], type);
    }
    assert.throws(() => read([BYTES], "text/html"), isSourceError);
  });
});

function read(pieces: readonly Uint8Array[], type = "application/json"): string[] {
  const messages: string[] = [];
  const options = { name: "house", maxBytes: 1000, handlers: { onMessage: (text: string) => messages.push(text) } };
  const body = openBody(200, { "content-type": type }, options, noProgress());
  for (const piece of pieces) body.push(piece);
  body.end();
  return messages;
}

function isSourceError(error: unknown): boolean {
  return error instanceof ZaguanError && error.code === "SOURCE_ERROR" && error.delivery === "unknown";
}
