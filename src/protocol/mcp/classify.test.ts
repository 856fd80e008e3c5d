import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ErrorCode, ZaguanError } from "../../errors.ts";
import { type RpcMessage, readMessage } from "../json-rpc/message.ts";
import { classify, type Era, type Inbound } from "./classify.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const MODERN = "2026-07-28";
const META = { [VERSION]: MODERN, [CAPABILITIES]: {} };
const LIST = { id: 1, method: "tools/list", params: { _meta: META } };
const CALL = { id: 1, method: "tools/call", params: { name: "lamp", _meta: META } };
const HEADERS = { versionHeader: MODERN, methodHeader: "tools/list" };
const CALL_HEADERS = { versionHeader: MODERN, methodHeader: "tools/call", nameHeader: "lamp" };

type Headers = Partial<Omit<Inbound, "message">>;
type Expected = "handshake" | "modern" | ErrorCode;
type Row = readonly [what: string, message: object | string, headers: Headers, expected: Expected];

const rows: Readonly<Record<string, readonly Row[]>> = {
  "the body decides": [
    ["a claim", LIST, HEADERS, "modern"],
    ["a claim written with escapes", escaped(), HEADERS, "modern"],
    ["no claim, no headers", { id: 1, method: "tools/list" }, {}, "handshake"],
    ["no claim, a header of 2025", { id: 1, method: "tools/list" }, { versionHeader: "2025-06-18" }, "handshake"],
    ["no claim, an unknown header", { id: 1, method: "tools/list" }, { versionHeader: "1999-01-01" }, "handshake"],
    ["another _meta", { id: 1, method: "tools/list", params: { _meta: { progressToken: 1 } } }, {}, "handshake"],
    ["a _meta that is no object", { id: 1, method: "tools/list", params: { _meta: VERSION } }, {}, "handshake"],
    ["a claim outside _meta", { id: 1, method: "tools/list", params: META }, {}, "handshake"],
    ["a claim, but not by POST", LIST, { ...HEADERS, method: "GET" }, "handshake"],
    ["no claim under a modern header", { id: 1, method: "tools/list" }, HEADERS, "INVALID_PARAMS"],
    ["the claim is no string", withMeta({ [VERSION]: 20260728, [CAPABILITIES]: {} }), HEADERS, "INVALID_PARAMS"],
    ["the claim is null", withMeta({ [VERSION]: null, [CAPABILITIES]: {} }), {}, "INVALID_PARAMS"],
    ["no capabilities", withMeta({ [VERSION]: MODERN }), HEADERS, "INVALID_PARAMS"],
    ["capabilities that are a list", withMeta({ [VERSION]: MODERN, [CAPABILITIES]: [] }), HEADERS, "INVALID_PARAMS"],
  ],
  initialize: [
    ["without a claim", { id: 1, method: "initialize", params: {} }, {}, "handshake"],
    ["with an unknown claim", initialize({ [VERSION]: "1.0", [CAPABILITIES]: {} }), {}, "handshake"],
    ["with half a claim", initialize({ [VERSION]: MODERN }), {}, "handshake"],
    ["with a valid claim", initialize(META), { versionHeader: MODERN, methodHeader: "initialize" }, "modern"],
    ["under a modern header", initialize({}), { versionHeader: MODERN }, "INVALID_PARAMS"],
  ],
  notifications: [
    ["without claim or header", { method: "notifications/initialized" }, {}, "handshake"],
    ["under a header of 2025", { method: "notifications/x" }, { versionHeader: "2025-11-25" }, "handshake"],
    ["under a modern header", { method: "notifications/x" }, { versionHeader: MODERN }, "modern"],
    ["with a claim alone", { method: "notifications/x", params: { _meta: META } }, {}, "modern"],
    [
      "that another header contradicts",
      { method: "notifications/x" },
      { versionHeader: MODERN, methodHeader: "y" },
      "HEADER_MISMATCH",
    ],
  ],
  "what is no request": [
    ["an answer", { id: 1, result: {} }, {}, "handshake"],
    ["an answer under a modern header", { id: 1, result: {} }, HEADERS, "BAD_REQUEST"],
    ["no JSON", "{", {}, "handshake"],
    ["no JSON under a modern header", "{", HEADERS, "BAD_JSON"],
    ["a list of modern requests", `[${JSON.stringify({ jsonrpc: "2.0", ...LIST })}]`, HEADERS, "BAD_REQUEST"],
  ],
  "the version": [
    ["unknown", withMeta({ ...META, [VERSION]: "2030-01-01" }), {}, "UNSUPPORTED_VERSION"],
    ["of 2025", withMeta({ ...META, [VERSION]: "2025-11-25" }), {}, "UNSUPPORTED_VERSION"],
    ["unknown, header too", withMeta({ ...META, [VERSION]: "x" }), { versionHeader: "x" }, "UNSUPPORTED_VERSION"],
    ["not the header's", LIST, { ...HEADERS, versionHeader: "2025-11-25" }, "HEADER_MISMATCH"],
    ["not in the headers", LIST, { methodHeader: "tools/list" }, "HEADER_MISMATCH"],
    ["with white space around", LIST, { ...HEADERS, versionHeader: ` ${MODERN}\t` }, "modern"],
  ],
  "the method": [
    ["not in the headers", LIST, { versionHeader: MODERN }, "HEADER_MISMATCH"],
    ["not the header's", LIST, { ...HEADERS, methodHeader: "tools/call" }, "HEADER_MISMATCH"],
    ["in capitals", LIST, { ...HEADERS, methodHeader: "Tools/List" }, "HEADER_MISMATCH"],
  ],
  "the name": [
    ["the same", CALL, CALL_HEADERS, "modern"],
    ["with white space around", CALL, { ...CALL_HEADERS, nameHeader: "  lamp " }, "modern"],
    ["in base64", CALL, { ...CALL_HEADERS, nameHeader: "=?base64?bGFtcA==?=" }, "modern"],
    ["in broken base64", CALL, { ...CALL_HEADERS, nameHeader: "=?base64?bGFtcA?=" }, "HEADER_MISMATCH"],
    ["not in the headers", CALL, { ...CALL_HEADERS, nameHeader: undefined }, "HEADER_MISMATCH"],
    ["another", CALL, { ...CALL_HEADERS, nameHeader: "door" }, "HEADER_MISMATCH"],
    ["in capitals", CALL, { ...CALL_HEADERS, nameHeader: "Lamp" }, "HEADER_MISMATCH"],
    ["missing in the body: the method will say so", { ...CALL, params: { _meta: META } }, CALL_HEADERS, "modern"],
    ["of a prompt", named("prompts/get", { name: "p" }), headers("prompts/get", "q"), "HEADER_MISMATCH"],
    ["of a resource is its URI", named("resources/read", { uri: "a:b" }), headers("resources/read", "a:b"), "modern"],
    [
      "of a resource, another",
      named("resources/read", { uri: "a:b" }),
      headers("resources/read", "a"),
      "HEADER_MISMATCH",
    ],
    ["beside a method that has none", LIST, { ...HEADERS, nameHeader: "lamp" }, "modern"],
  ],
};

for (const [group, cases] of Object.entries(rows)) {
  describe(`classification: ${group}`, () => {
    for (const [what, message, headers, expected] of cases) {
      it(`${what} → ${expected}`, () => assert.equal(verdict(judge(message, headers)), expected));
    }
  });
}

describe("classification without headers", () => {
  const bare: readonly (readonly [what: string, message: object | string, expected: Expected])[] = [
    ["a claim", LIST, "modern"],
    ["a claim beside a name", CALL, "modern"],
    ["a claim written with escapes", escaped(), "modern"],
    ["no claim", { id: 1, method: "tools/list" }, "handshake"],
    ["an unknown version", withMeta({ ...META, [VERSION]: "2030-01-01" }), "UNSUPPORTED_VERSION"],
    ["a version of 2025", withMeta({ ...META, [VERSION]: "2025-11-25" }), "UNSUPPORTED_VERSION"],
    ["a claim that is no string", withMeta({ ...META, [VERSION]: 20260728 }), "INVALID_PARAMS"],
    ["no capabilities", withMeta({ [VERSION]: MODERN }), "INVALID_PARAMS"],
    ["initialize without a claim", initialize({}), "handshake"],
    ["initialize with half a claim", initialize({ [VERSION]: MODERN }), "handshake"],
    ["initialize with a valid claim", initialize(META), "modern"],
    ["a notification without a claim", { method: "notifications/cancelled" }, "handshake"],
    ["a notification with a claim", { method: "notifications/x", params: { _meta: META } }, "modern"],
    ["an answer", { id: 1, result: {} }, "handshake"],
    ["no JSON", "{", "handshake"],
  ];
  for (const [what, message, expected] of bare) {
    it(`${what} → ${expected}`, () => assert.equal(verdict(classify({ message: read(message) })), expected));
  }
});

describe("classification tells", () => {
  it("the version and the request", () => {
    const era = judge(LIST, HEADERS);
    assert.ok(era.era === "modern");
    assert.deepEqual([era.version, era.call.method], [MODERN, "tools/list"]);
  });

  it("which versions we speak where another is asked for, the newest first", () => {
    const { details } = errorOf(judge(withMeta({ ...META, [VERSION]: "y".repeat(100) }), {}));
    assert.deepEqual(details.data, {
      supported: [MODERN, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      requested: "y".repeat(40),
    });
  });

  it("which key is missing, and which header is wrong", () => {
    assert.equal(errorOf(judge(withMeta({ [VERSION]: MODERN }), HEADERS)).details.data?.["missing"], CAPABILITIES);
    assert.equal(errorOf(judge({ ...LIST, params: {} }, HEADERS)).details.data?.["missing"], VERSION);
    assert.equal(errorOf(judge(LIST, { versionHeader: MODERN })).details.params?.["header"], "Mcp-Method");
    assert.equal(errorOf(judge(CALL, { ...CALL_HEADERS, nameHeader: "x" })).details.params?.["header"], "Mcp-Name");
  });
});

function judge(message: object | string, headers: Headers): Era {
  return classify({ method: "POST", ...headers, message: read(message) });
}

function read(message: object | string): RpcMessage {
  const text = typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message });
  return readMessage(text, { depth: 64, elements: 1_000 });
}

function verdict(era: Era): string {
  return era.era === "reject" ? era.error.code : era.era;
}

function errorOf(era: Era): ZaguanError {
  assert.ok(era.era === "reject");
  assert.ok(era.error instanceof ZaguanError);
  return era.error;
}

function withMeta(meta: object): object {
  return { id: 1, method: "tools/list", params: { _meta: meta } };
}

function initialize(meta: object): object {
  return { id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", _meta: meta } };
}

function named(method: string, params: object): object {
  return { id: 1, method, params: { ...params, _meta: META } };
}

function headers(methodHeader: string, nameHeader: string): Headers {
  return { versionHeader: MODERN, methodHeader, nameHeader };
}

function escaped(): string {
  return JSON.stringify({ jsonrpc: "2.0", ...LIST }).replace("protocolVersion", "protocol\\u0056ersion");
}
