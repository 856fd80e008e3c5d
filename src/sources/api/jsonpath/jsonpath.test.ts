import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NoPath } from "./cursor.ts";
import { Budget, TooMuch } from "./filter.ts";
import { parsePath } from "./parser.ts";
import { picker, Selection } from "./picker.ts";

const STORE = {
  store: {
    book: [
      { category: "reference", author: "Nigel Rees", title: "Sayings", price: 8.95 },
      { category: "fiction", author: "Evelyn Waugh", title: "Sword", price: 12.99 },
      { category: "fiction", author: "Herman Melville", title: "Moby Dick", isbn: "0-553", price: 8.99 },
      { category: "fiction", author: "J. R. R. Tolkien", title: "Rings", isbn: "0-395", price: 22.99 },
    ],
    bicycle: { color: "red", price: 399 },
  },
};

function select(path: string, value: unknown): readonly unknown[] {
  return new Selection(value, new Budget(0)).of(parsePath(path));
}

describe("a JSONPath selects", () => {
  const titles: readonly (readonly [string, readonly unknown[]])[] = [
    ["$.store.book[*].title", ["Sayings", "Sword", "Moby Dick", "Rings"]],
    ["$..title", ["Sayings", "Sword", "Moby Dick", "Rings"]],
    ["$.store..price", [8.95, 12.99, 8.99, 22.99, 399]],
    ["$..book[2].title", ["Moby Dick"]],
    ["$..book[-1].title", ["Rings"]],
    ["$..book[0,1].title", ["Sayings", "Sword"]],
    ["$..book[:2].title", ["Sayings", "Sword"]],
    ["$..book[::-2].title", ["Rings", "Sword"]],
    ["$['store']['bicycle', 'nothing'].color", ["red"]],
    ["$..book[?@.isbn].title", ["Moby Dick", "Rings"]],
    ["$..book[?!@.isbn].title", ["Sayings", "Sword"]],
    ["$..book[?@.price < 10].title", ["Sayings", "Moby Dick"]],
    ["$..book[?@.price < 10 && @.category == 'fiction'].title", ["Moby Dick"]],
    ["$..book[?@.price > 20 || (@.price < 8.96)].title", ["Sayings", "Rings"]],
    ["$..book[?@.price > $.store.book[1].price].title", ["Rings"]],
    ["$..book[?length(@.title) == 5].title", ["Sword", "Rings"]],
    ["$.store[?count(@.*) == 2].color", ["red"]],
    ["$..book[?value(@..isbn) == '0-395'].title", ["Rings"]],
    ["$..book[?search(@.author, '[JR]\\\\. ')].title", ["Rings"]],
    ["$..book[?match(@.title, 'S.*')].title", ["Sayings", "Sword"]],
    ["$..book[?match(@.title, 'S')].title", []],
    ["$.store.nothing[*]", []],
  ];
  for (const [path, expected] of titles) {
    it(path, () => assert.deepEqual(select(path, STORE), expected));
  }

  it("members by names that are anything", () => {
    const value = JSON.parse('{"a.b":1,"\'":2,"\\u00e9":3,"__proto__":4,"":5}');
    assert.deepEqual(select("$['a.b', '\\'', \"\\u00e9\", '__proto__', '']", value), [1, 2, 3, 4, 5]);
    assert.deepEqual(select("$.é", value), [3]);
    assert.deepEqual(select("$.constructor", value), []);
  });

  it("by comparing what may not be there, and structures with each other", () => {
    const value = [{ a: null }, {}, { a: [1, { b: 2 }], c: [1, { b: 2 }] }, { a: "\u{10000}", c: "\ufffd" }];
    assert.deepEqual(select("$[?@.a == null]", value), [{ a: null }]);
    assert.deepEqual(select("$[?@.a == @.x]", value), [{}]);
    assert.deepEqual(select("$[?@.a == @.c].a[0]", value), [1]);
    assert.deepEqual(select("$[?@.a > @.c].c", value), ["\ufffd"]);
  });
});

describe("a text that is no JSONPath", () => {
  const texts = [
    "",
    "a",
    "$.",
    "$ ",
    " $",
    "$[",
    "$[]",
    "$[01]",
    "$[-0]",
    "$.1",
    "$['\\x']",
    "$[?@.a =]",
    "$[?1]",
    "$.a b",
  ];
  const typed = [
    "$[?length(@.*) == 1]",
    "$[?count(1) == 1]",
    "$[?@.* == 1]",
    "$[?match(@.a, 'b') == true]",
    "$[?nope(@)]",
  ];
  const large = ["$[9007199254740992]", `$${".a".repeat(1_000)}`, `$[?${"(".repeat(50)}@.a${")".repeat(50)}]`];
  for (const text of [...texts, ...typed, ...large]) {
    it(text.slice(0, 40), () => assert.throws(() => parsePath(text), NoPath));
  }
});

describe("a JSONPath that would be too much", () => {
  const deep = JSON.parse(`${"[".repeat(20_000)}1${"]".repeat(20_000)}`);
  const wide = { items: Array.from({ length: 5_000 }, (_, i) => ({ text: `${"a".repeat(30)}${i}` })) };
  const costly: readonly (readonly [string, unknown])[] = [
    ["$..*..*", deep],
    ["$..[?count($..*) > 0]", wide],
    ["$.items[?@ == $.items[0] || count($..text) == 1]", wide],
    [`$${"[0,0,0,0,0,0,0,0,0,0]".repeat(8)}`, [[[[[[[[1]]]]]]]]],
    ["$.items[?search($.items[0].text, @.text) || match(@.text, '(a{0,30}){0,30}b')]", wide],
  ];
  for (const [path, value] of costly) {
    it(`is given up: ${path.slice(0, 60)}`, () => assert.throws(() => select(path, value), TooMuch));
  }

  it("is given up as well where only what it selects is long", () => {
    const text = JSON.stringify(wide);
    const pick = picker(`$[${"'items',".repeat(150)}'items']`);
    assert.throws(() => pick({ text, value: wide }), TooMuch);
  });

  it("is none by depth alone", () => assert.equal(select("$..*", deep).length, 20_000));

  it("is none by a pattern that would take others for ever", () => {
    const value = ["a".repeat(5_000), `${"a".repeat(5_000)}b`];
    assert.deepEqual(select("$[?match(@, '(a|a)*b')]", value), [value[1]]);
  });
});

describe("what was picked", () => {
  it("is a list with one value on each line, with numbers as they were written", () => {
    const text = '{"ids":[12345678901234567890,1.50,{"a":"b"}]}';
    const pick = picker("$.ids[*]");
    assert.equal(pick({ text, value: JSON.parse(text) }), '[\n  12345678901234567890,\n  1.5,\n  {"a":"b"}\n]');
  });

  it("is compared as the number that it is", () => {
    const text = '[{"id":12345678901234567890},{"id":2}]';
    assert.equal(picker("$[?@.id > 5].id")({ text, value: JSON.parse(text) }), "[\n  12345678901234567890\n]");
  });

  it("may be nothing", () => assert.equal(picker("$.x")({ text: "{}", value: {} }), "[]"));
});
