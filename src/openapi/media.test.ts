/** From the document's encoding object to what is sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NO_CREDENTIALS } from "../sources/api/auth.ts";
import type { ApiOperation } from "../sources/api/operation.ts";
import { requestOf } from "../sources/api/request.ts";
import { readDocument } from "./document.ts";
import { operationsOf } from "./operations.ts";

type Json = Readonly<Record<string, unknown>>;

const VALUE = {
  text: "a b&c=d",
  list: ["x", "y z"],
  items: [{ price: "p1", quantity: 2 }, { price: "p2" }],
  metadata: { order: "6735", nested: { deep: true } },
};

describe("a form is written as the document says", () => {
  const ways: readonly (readonly [string, Json, string])[] = [
    [
      "nothing: lists repeated, objects as JSON",
      {},
      'text=a b&c=d|list=x|list=y z|items={"price":"p1","quantity":2}|items={"price":"p2"}|metadata={"order":"6735","nested":{"deep":true}}',
    ],
    [
      "deepObject, as Stripe has it",
      Object.fromEntries(["list", "items", "metadata"].map((name) => [name, { style: "deepObject", explode: true }])),
      "text=a b&c=d|list[0]=x|list[1]=y z|items[0][price]=p1|items[0][quantity]=2|items[1][price]=p2|metadata[order]=6735|metadata[nested][deep]=true",
    ],
    [
      "lists in one pair",
      { list: { explode: false }, items: { contentType: "application/json" }, metadata: { style: "form" } },
      'text=a b&c=d|list=x,y z|items=[{"price":"p1","quantity":2},{"price":"p2"}]|order=6735|nested={"deep":true}',
    ],
    [
      "with delimiters",
      { list: { style: "pipeDelimited" }, items: { style: "deepObject" }, metadata: { contentType: "text/plain" } },
      'text=a b&c=d|list=x|y z|items[0][price]=p1|items[0][quantity]=2|items[1][price]=p2|metadata={"order":"6735","nested":{"deep":true}}',
    ],
  ];
  for (const [what, encoding, expected] of ways) {
    it(what, () => assert.equal(sent(read(encoding), VALUE), expected));
  }

  it("also where the whole of it is one argument", () => {
    const parameters = [{ name: "list", in: "query", schema: { type: "string" } }];
    const operation = read({ list: { style: "deepObject" } }, parameters);
    assert.equal(operation.body?.argument, "body");
    assert.equal(sent(operation, { body: { list: ["x"], other: ["y", "z"] } }), "list[0]=x|other=y|other=z");
  });

  it("and writes a space as forms do", () => {
    const { body } = requestOf(read({}), { text: "a +b%20" }, API, NO_CREDENTIALS);
    assert.equal(body, "text=a+%2Bb%2520");
  });
});

const API = { baseUrl: "https://api.test", headers: {} };

function read(encoding: Json, parameters: readonly Json[] = []): ApiOperation {
  const list = { type: "array", items: { type: "string" } };
  const fields = { text: { type: "string" }, list, items: { type: "array" }, metadata: { type: "object" } };
  const schema = { type: "object", properties: fields };
  const content = { "application/x-www-form-urlencoded": { schema, encoding } };
  const paths = { "/x": { post: { parameters, requestBody: { content }, responses: {} } } };
  const document = { openapi: "3.1.0", info: { title: "T", version: "1" }, paths };
  const [operation] = operationsOf(readDocument(JSON.stringify(document))).operations;
  return operation ?? assert.fail("nothing was read");
}

/** Read by the platform, which is not ours. */
function sent(operation: ApiOperation, args: Json): string {
  const { body, headers } = requestOf(operation, args, API, NO_CREDENTIALS);
  assert.equal(headers["content-type"], "application/x-www-form-urlencoded");
  return [...new URLSearchParams(String(body))].map(([name, value]) => `${name}=${value}`).join("|");
}
