import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import type { ZaguanError } from "../../errors.ts";
import { headerText, pairsOf, pathText, percentEncode } from "./encode.ts";
import type { ApiParameter } from "./operation.ts";

const LIST = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

function parameter(given: Partial<ApiParameter>): ApiParameter {
  return { argument: "color", name: "color", in: "query", style: "form", explode: false, required: false, ...given };
}

function query(given: Partial<ApiParameter>, value: unknown): string {
  return pairsOf(parameter(given), value)
    .map(([name, text]) => `${name}=${text}`)
    .join("&");
}

function path(style: ApiParameter["style"], explode: boolean, value: unknown): string | undefined {
  return pathText(parameter({ in: "path", style, explode }), value);
}

describe("a parameter in a path", () => {
  for (const [style, explode, empty, text, list, object] of [
    ["simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"],
    ["simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"],
    ["label", false, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
    ["label", true, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
    ["matrix", false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
    ["matrix", true, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
  ] as const) {
    it(`is written as OpenAPI says: ${style}${explode ? ", exploded" : ""}`, () => {
      const written = ["", "blue", LIST, OBJECT].map((value) => path(style, explode, value));
      assert.deepEqual(written, [empty, text, list, object]);
    });
  }

  it("that is null, or a list of nothing, is not there", () => {
    for (const value of [undefined, null, [], [null], {}]) assert.equal(path("simple", false, value), undefined);
  });

  it("never adds structure, and is read back as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
        const text = path("simple", false, value) ?? "";
        assert.match(text, /^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})+$/);
        assert.equal(decodeURIComponent(text), value.toWellFormed());
      }),
    );
  });
});

describe("a parameter in a query", () => {
  for (const [style, explode, list, object] of [
    ["form", false, "color=blue,black,brown", "color=R,100,G,200,B,150"],
    ["form", true, "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
    ["spaceDelimited", false, "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
    ["pipeDelimited", false, "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
    [
      "deepObject",
      true,
      "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown",
      "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
    ],
  ] as const) {
    it(`is written as OpenAPI says: ${style}${explode ? ", exploded" : ""}`, () => {
      assert.equal(query({ style, explode }, LIST), list);
      assert.equal(query({ style, explode }, OBJECT), object);
    });
  }

  it("may be empty, which is not the same as not there", () => {
    assert.equal(query({}, ""), "color=");
    assert.equal(query({}, null), "");
    assert.equal(query({}, []), "");
    assert.equal(query({}, false), "color=false");
    assert.equal(query({}, 0), "color=0");
  });

  it("goes as deep as an object does", () => {
    const value = { a: { b: "c&d" }, e: [1, 2], f: null };
    const written = query({ style: "deepObject" }, value);
    assert.equal(decodeURIComponent(written), "color[a][b]=c&d&color[e][0]=1&color[e][1]=2");
  });

  it("may be JSON by its media type", () => {
    const text = query({ contentType: "application/json" }, { a: ["ü", 1] });
    assert.deepEqual(JSON.parse(new URLSearchParams(text).get("color") ?? ""), { a: ["ü", 1] });
  });

  it("keeps reserved characters where that is allowed, but for those that would end it", () => {
    assert.equal(query({ allowReserved: true }, "a/b:c?d=e,f;g@h!"), "color=a/b:c?d=e,f;g@h!");
    assert.equal(query({ allowReserved: true }, "a&b#c+d%20[e]"), "color=a%26b%23c%2Bd%2520%5Be%5D");
    assert.equal(query({ allowReserved: true }, ["a,b", "c/d"]), "color=a%2Cb,c/d");
  });

  it("is read back as it was, name and value, with and without reserved characters", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(text, text, fc.boolean(), (name, value, allowReserved) => {
        const url = new URL(`http://api.test/x?${query({ name, allowReserved }, value)}&last=1`);
        const expected = [
          [name.toWellFormed(), value.toWellFormed()],
          ["last", "1"],
        ];
        assert.deepEqual([...url.searchParams], expected);
        assert.equal(url.pathname + url.hash, "/x");
      }),
    );
  });

  it("of many values is read back as it was, exploded or not", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }),
        fc.boolean(),
        (values, allowReserved) => {
          const exploded = new URLSearchParams(query({ explode: true, allowReserved }, values));
          assert.deepEqual(
            exploded.getAll("color"),
            values.map((value) => value.toWellFormed()),
          );
          const joined = query({ allowReserved }, values).slice("color=".length);
          const items = joined.split(",").map((item) => new URLSearchParams(`x=${item}`).get("x"));
          assert.deepEqual(
            items,
            values.map((value) => value.toWellFormed()),
          );
        },
      ),
    );
  });

  it("that is an object of any keys is read back as it was", () => {
    const fields = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { minKeys: 1, noNullPrototype: true });
    fc.assert(
      fc.property(fields, (value) => {
        const pairs = [...new URLSearchParams(query({ style: "deepObject", explode: true }, value))];
        assert.deepEqual(
          pairs,
          Object.entries(value).map(([key, text]) => [`color[${key}]`, text]),
        );
      }),
    );
  });
});

describe("a parameter in a header", () => {
  const header = { in: "header", style: "simple", name: "X-Color" } as const;

  it("is written as it is, for nobody decodes a header", () => {
    assert.equal(headerText(parameter(header), "a b/c%"), "a b/c%");
    assert.equal(headerText(parameter(header), OBJECT), "R,100,G,200,B,150");
    assert.equal(headerText(parameter({ ...header, explode: true }), OBJECT), "R=100,G=200,B=150");
  });

  it("cannot bring another header along", () => {
    for (const value of ["a\r\nX-Evil: 1", "a\nb", "a\0b", ["a", "b\r"], { k: "\n" }]) {
      assert.throws(
        () => headerText(parameter(header), value),
        (error: ZaguanError) => error.code === "INVALID_ARGUMENT" && error.delivery === "not_sent",
      );
    }
  });
});

describe("percent-encoding", () => {
  it("leaves nothing but unreserved characters, and stands half characters", () => {
    assert.equal(percentEncode("-._~aZ9!'()*"), "-._~aZ9%21%27%28%29%2A");
    assert.equal(percentEncode("\ud800"), "%EF%BF%BD");
  });
});
