/** A tool's result as a person sees it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "../../messages/catalogue.ts";
import type { Say } from "../command.ts";
import { showResult } from "./call.ts";

const english: Say = (key, params) => say("en", key, params);

function text(result: unknown): string {
  return showResult(result, english).text;
}

test("text is shown as it is, one item below the other", () => {
  const content = [
    { type: "text", text: "one" },
    { type: "text", text: "two" },
  ];
  assert.equal(text({ content }), "one\ntwo");
});

test("structured content is shown as JSON, and not a second time as text", () => {
  const result = { content: [{ type: "text", text: '{"ok":true}' }], structuredContent: { ok: true } };
  assert.equal(text(result), '{\n  "ok": true\n}');
});

test("text is for people: it is shown instead of structured content that says the same in another form", () => {
  assert.equal(text({ content: [{ type: "text", text: "done" }], structuredContent: { state: "done" } }), "done");
  assert.equal(text({ content: [], structuredContent: { state: "done" } }), '{\n  "state": "done"\n}');
});

test("an image is a short note with its size", () => {
  const content = [{ type: "image", mimeType: "image/png", data: Buffer.alloc(300).toString("base64") }];
  assert.equal(text({ content }), "[image: image/png, 300 bytes]");
});

test("resources are their text, a note or their address", () => {
  const content = [
    { type: "resource", resource: { uri: "file:///a", text: "inside" } },
    { type: "resource", resource: { uri: "file:///b", mimeType: "x/y", blob: "AAAA" } },
    { type: "resource_link", uri: "file:///c" },
  ];
  assert.equal(text({ content }), "inside\n[file:///b: x/y, 3 bytes]\n[file:///c]");
});

test("what is no MCP result is shown whole", () => assert.equal(text({ on: [] }), '{\n  "on": []\n}'));

test("a failure is told apart", () => {
  assert.equal(showResult({ content: [], isError: true }, english).isError, true);
  assert.equal(showResult({ content: [] }, english).isError, false);
});
