import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../../protocol/json/payload.ts";
import { sharedTools, withPictures } from "./source.ts";

const INNER = { type: "image", mimeType: "image/jpeg", data: "/9j/4A==" };

const shown = (result: object): unknown => withPictures(Payload.ofValue(result)).value;

describe("a device's result", () => {
  it("has its picture as MCP writes one, and everything else as it was", () => {
    const text = { type: "text", text: "caf\\u00e9" };
    const written = { type: "image", image: JSON.stringify(INNER), annotations: { priority: 1 } };
    assert.deepEqual(shown({ content: [text, written], isError: false, more: 1 }), {
      content: [text, { ...INNER, annotations: { priority: 1 } }],
      isError: false,
      more: 1,
    });
  });

  for (const image of ["no JSON", "null", "[]", '{"data":7,"mimeType":"image/png"}', '{"data":"x"}']) {
    it(`has as text what it calls a picture and is none: ${image}`, () => {
      assert.deepEqual(shown({ content: [{ type: "image", image }] }), { content: [{ type: "text", text: image }] });
    });
  }

  for (const result of [
    { content: [INNER] },
    { content: [{ type: "text", text: '{"type":"image","image":"{}"}' }] },
    { content: [{ type: "image", image: 7 }] },
    { content: [null, "image"] },
    { content: "image" },
    { image: "image" },
  ]) {
    it(`stays as it was written: ${JSON.stringify(result)}`, () => {
      const payload = Payload.ofText(` ${JSON.stringify(result)}`);
      assert.equal(withPictures(payload), payload);
    });
  }

  it("is not even read where no picture can be in it", () => {
    const payload = Payload.ofText("{no JSON");
    assert.equal(withPictures(payload), payload);
  });
});

const volume = (description: string) => ({ name: "volume", description, inputSchema: { type: "object" } }) as const;

describe("tools of many devices", () => {
  it("are one where they are written alike", () => {
    const [one] = sharedTools([volume("Louder or softer")]);
    const [other] = sharedTools([volume("Louder or softer")]);
    assert.equal(one, other);
  });

  it("are told apart by whatever is written differently", () => {
    const [one, other] = sharedTools([volume("Louder"), volume("Softer")]);
    assert.deepEqual([one, other], [volume("Louder"), volume("Softer")]);
  });
});
