/** Answers as tools give them, and what is shown of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ToolContent } from "../../kit/call-tool.ts";
import { bytesOf, contentsOf, fileName, mediaKind, type Part, partsOf, webAddress } from "./answer-parts.ts";

const PIXEL = "iVBORw0KGgo=";

function part(content: unknown): Part {
  const [only, ...others] = partsOf({ content: [content as ToolContent] });
  assert.equal(others.length, 0);
  return only ?? assert.fail("nothing");
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("an answer", () => {
  it("in text is text, also where it looks like HTML", () => {
    assert.deepEqual(plain(part({ type: "text", text: "<b>a</b>\nb" })), { kind: "text", text: "<b>a</b>\nb" });
    for (const text of ["", "12", "true", '"x"', "{not json", "[1", "null"])
      assert.equal(part({ type: "text", text }).kind, "text", text);
  });

  it("in text that is JSON is JSON, to the digit", () => {
    const json = part({ type: "text", text: ' {"a":[12345678901234567890]}\n' });
    assert.ok(json.kind === "json");
    assert.equal(JSON.stringify(json.value), '{"a":[12345678901234567890]}');
  });

  it("with structure shows that, and not the same once more as text", () => {
    const structuredContent = { b: 1, a: [2] };
    const content = [
      { type: "text", text: '{"a":[2],"b":1}' },
      { type: "text", text: "warm" },
    ];
    assert.deepEqual(plain(partsOf({ content, structuredContent })), [
      { kind: "json", value: structuredContent, isStructured: true },
      { kind: "text", text: "warm" },
    ]);
    assert.equal(partsOf({ structuredContent: null })[0]?.kind, "json");
  });

  it("in pictures and sounds is a data URL of that type", () => {
    assert.deepEqual(plain(part({ type: "image", mimeType: "image/png", data: PIXEL })), {
      kind: "image",
      mime: "image/png",
      source: `data:image/png;base64,${PIXEL}`,
    });
    const sound = part({ type: "audio", mimeType: "audio/wav", data: "UklG\nRg==" });
    assert.ok(sound.kind === "audio" && sound.source === "data:audio/wav;base64,UklGRg==");
  });

  it("that only calls itself a picture is none", () => {
    const odd = [
      { type: "image", mimeType: "text/html", data: PIXEL },
      { type: "image", mimeType: "image/png;base64,x,<script>", data: PIXEL },
      { type: "image", mimeType: "image/png", data: '"><script>' },
      { type: "image", mimeType: "image/png", data: "" },
      { type: "image", mimeType: "image/png" },
      { type: "image", data: PIXEL },
      { type: "audio", mimeType: "video/mp4", data: PIXEL },
      { type: "audio", mimeType: 7, data: {} },
    ];
    for (const content of odd) assert.deepEqual(part(content), { kind: "unknown", value: content });
  });

  it("in resources is what is in them", () => {
    const of = (resource: object) => part({ type: "resource", resource });
    assert.deepEqual(plain(of({ uri: "demo://1", text: "hi" })), { kind: "text", text: "hi", uri: "demo://1" });
    assert.equal(of({ uri: "demo://1", mimeType: "application/json", text: "[1]" }).kind, "json");
    assert.equal(of({ uri: "demo://1", mimeType: "image/png", blob: PIXEL }).kind, "image");
    assert.deepEqual(plain(of({ uri: "demo://1", blob: "AAA=" })), {
      kind: "file",
      uri: "demo://1",
      mime: "application/octet-stream",
      base64: "AAA=",
    });
    assert.equal(of({ uri: "demo://1", mimeType: "text/html", blob: "AAA=" }).kind, "file");
    assert.equal(of({ uri: "demo://1" }).kind, "unknown");
    assert.equal(part({ type: "resource" }).kind, "unknown");
  });

  it("in links is named", () => {
    const link = {
      type: "resource_link",
      uri: "demo://1",
      name: "one",
      title: "One",
      description: "The first",
      mimeType: "text/plain",
    };
    assert.deepEqual(part(link), {
      kind: "link",
      uri: "demo://1",
      name: "One",
      description: "The first",
      mime: "text/plain",
    });
    assert.equal(part({ type: "resource_link" }).kind, "unknown");
  });

  it("of a kind that nobody knows is shown as it came", () => {
    for (const content of [
      { type: "hologram", x: 1 },
      { no: "type" },
      "text",
      null,
      7,
      [],
      { type: "text", text: 7 },
    ]) {
      assert.deepEqual(part(content), { kind: "unknown", value: content });
    }
    assert.deepEqual(partsOf({ content: "text" as never }), [{ kind: "unknown", value: "text" }]);
    assert.deepEqual(partsOf({}), []);
  });
});

describe("a resource that was read", () => {
  it("is shown as what it is", () => {
    const contents = [
      { uri: "a", text: "x" },
      { uri: "b", blob: PIXEL, mimeType: "image/png" },
    ];
    assert.deepEqual(
      contentsOf({ contents }).map(({ kind }) => kind),
      ["text", "image"],
    );
    assert.equal(contentsOf({ odd: true })[0]?.kind, "unknown");
  });
});

describe("what may be clicked", () => {
  it("is on the web", () => {
    assert.equal(webAddress("https://example.com/a?b"), "https://example.com/a?b");
    const never = [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc",
      "demo://x",
      " https://x",
      "https://",
      "//x",
      "ftp://x",
    ];
    for (const uri of never) assert.equal(webAddress(uri), undefined, uri);
  });
});

describe("a file", () => {
  it("has a name that does no harm", () => {
    const names = [
      ["demo://a/b/photo.png?x#y", "photo.png"],
      ["../../.bashrc", "bashrc"],
      ["x/..", "file"],
      ["", "file"],
      [undefined, "file"],
      ['a/b:c*"|<>', "b_c_____"],
      ["demo://café ñ.txt", "café ñ.txt"],
    ] as const;
    for (const [uri, name] of names) assert.equal(fileName(uri), name);
    assert.equal(fileName("x".repeat(500)).length, 100);
  });

  it("has a size", () => {
    const sizes = [0, 1, 2, 3, 100].map((size) => bytesOf(Buffer.alloc(size).toString("base64")));
    assert.deepEqual(sizes, [0, 1, 2, 3, 100]);
  });
});

describe("media", () => {
  it("are told by their type alone", () => {
    assert.deepEqual(["image/svg+xml", "AUDIO/ogg", "text/html", "image/", "image", "image/png "].map(mediaKind), [
      "image",
      "audio",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
