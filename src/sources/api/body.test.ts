import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { ZaguanError } from "../../errors.ts";
import type { Arguments } from "./arguments.ts";
import { bodyOf, type WrittenBody } from "./body.ts";
import type { ApiBody } from "./operation.ts";

function write(body: Partial<ApiBody>, args: Arguments): WrittenBody | undefined {
  const whole: ApiBody = { contentType: "application/json", kind: "json", required: false, ...body };
  return bodyOf(
    { name: "op", description: "", method: "POST", path: "/", parameters: [], inputSchema: {}, body: whole },
    args,
    [],
  );
}

/** Read by the platform, which is not ours. */
async function formOf(written: WrittenBody | undefined): Promise<FormData> {
  assert.ok(written);
  const headers = { "content-type": written.contentType };
  return new Response(Buffer.from(written.content as Uint8Array), { headers }).formData();
}

const MEMBERS = [
  { argument: "q", name: "query" },
  { argument: "n", name: "count", default: 10 },
];

describe("a body of JSON", () => {
  it("is made of its members, with their defaults", () => {
    assert.equal(write({ members: MEMBERS }, { q: null, x: 1 })?.content, '{"query":null,"count":10}');
  });

  it("may be one argument whole", () => {
    assert.equal(write({ argument: "body" }, { body: [1, "a"] })?.content, '[1,"a"]');
    assert.equal(write({ argument: "body" }, {}), undefined);
    assert.throws(() => write({ argument: "body", required: true }, {}), ZaguanError);
  });
});

describe("a body from a template", () => {
  it("has values for whole values, and text inside of texts", () => {
    const template = '{"a": {{q}}, "b": "say \\"{{q}}\\" {{ n }}", "c": {{none}}, "d": "{{none}}"}';
    const { content } = write({ template, members: MEMBERS }, { q: 'x"y\\' }) as WrittenBody;
    assert.deepEqual(JSON.parse(content as string), { a: 'x"y\\', b: 'say "x"y\\" 10', c: null, d: "" });
  });

  it("stays JSON whatever is put in, and is not filled twice", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        const { content } = write({ template: '{"v":{{v}},"t":"<{{t}}>"}' }, { v: value, t: text }) as WrittenBody;
        assert.deepEqual(JSON.parse(content as string), JSON.parse(JSON.stringify({ v: value, t: `<${text}>` })));
      }),
    );
    assert.equal(write({ template: "[{{a}},{{b}}]" }, { a: "{{b}}", b: "$&" })?.content, '["{{b}}","$&"]');
  });

  it("escapes for XML too", () => {
    const body = { kind: "text", contentType: "application/xml", template: "<q>{{q}}</q>" } as const;
    assert.equal(write(body, { q: "<&" })?.content, "<q>&#60;&#38;</q>");
  });
});

describe("a form", () => {
  it("repeats lists and has objects as JSON", () => {
    const body = { kind: "form", contentType: "application/x-www-form-urlencoded", argument: "f" } as const;
    const written = write(body, { f: { a: "x&y", l: [1, 2], o: { k: "v" }, no: null } });
    assert.deepEqual(
      [...new URLSearchParams(String(written?.content))],
      [
        ["a", "x&y"],
        ["l", "1"],
        ["l", "2"],
        ["o", '{"k":"v"}'],
      ],
    );
  });
});

describe("a multipart body", () => {
  const body = { kind: "multipart", contentType: "multipart/form-data", argument: "f" } as const;

  it("has texts, lists, JSON and files", async () => {
    const data = Buffer.from([0, 255, 13, 10]).toString("base64");
    const file = { filename: 'a"\r\nb.png', contentType: "image/png", data };
    const form = await formOf(write(body, { f: { t: "ü\r\n--x", l: ["1", "2"], o: { k: 1 }, file } }));
    assert.deepEqual([form.get("t"), form.getAll("l")], ["ü\r\n--x", ["1", "2"]]);
    const sent = form.get("file") as File;
    assert.deepEqual([sent.type, Buffer.from(await sent.arrayBuffer()).toString("base64")], ["image/png", data]);
    assert.equal(String(form.get("o")), '{"k":1}');
  });

  it("has a file for a string where the member is no text", async () => {
    const members = [{ argument: "img", name: "img", contentType: "application/octet-stream" }];
    const form = await formOf(write({ kind: "multipart", members }, { img: "raw" }));
    assert.equal(await (form.get("img") as File).text(), "raw");
  });

  it("has JSON where a member is JSON, be it a text", async () => {
    const members = ["t", "o", "l"].map((name) => ({ argument: name, name, contentType: "application/json" }));
    const form = await formOf(write({ kind: "multipart", members }, { t: "a", o: { k: 1 }, l: ["b", 2] }));
    assert.deepEqual(
      [...form].map(([name, value]) => [name, String(value)]),
      [
        ["t", '"a"'],
        ["o", '{"k":1}'],
        ["l", '"b"'],
        ["l", "2"],
      ],
    );
  });

  it("gives back any names and values", async () => {
    const text = fc.string({ unit: "grapheme" }).map((value) => value.replace(/[\r\n"]/g, ""));
    await fc.assert(
      fc.asyncProperty(
        text.filter((name) => name !== "" && name !== "__proto__"),
        text,
        async (name, value) => {
          const form = await formOf(write(body, { f: { [name]: value } }));
          assert.deepEqual([...form], [[name.toWellFormed(), value.toWellFormed()]]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("has another boundary each time, and headers of nobody else's making", () => {
    const [a, b] = [write(body, { f: { a: 1 } }), write(body, { f: { a: 1 } })];
    assert.notEqual(a?.contentType, b?.contentType);
    const evil = { data: "AAAA", contentType: "image/png\r\nX-Evil: 1" };
    assert.throws(() => write(body, { f: { evil } }), ZaguanError);
  });
});

describe("a body of bytes", () => {
  it("is given in base64", () => {
    const body = { kind: "binary", contentType: "application/pdf", argument: "b" } as const;
    assert.deepEqual(Buffer.from(write(body, { b: "AP8=" })?.content as Uint8Array), Buffer.from([0, 255]));
    assert.equal(write(body, { b: { contentType: "image/gif", data: "AP8=" } })?.contentType, "image/gif");
    assert.throws(() => write(body, { b: "no base64!" }), ZaguanError);
  });

  it("of text is the text", () => {
    assert.equal(write({ kind: "text", contentType: "text/plain", argument: "b" }, { b: "hello" })?.content, "hello");
  });
});
