import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeError } from "../../test/support/make-error.ts";
import type { CallRequest, Principal, ToolDefinition } from "../core/call.ts";
import type { Gateway } from "../core/gateway.ts";
import { type ErrorDetails, ZaguanError } from "../errors.ts";
import type { Language } from "../messages/catalogue.ts";
import { Payload } from "../protocol/json/payload.ts";
import { type LineDoor, serveLines } from "./line-json.ts";

const PRINCIPAL: Principal = { id: "local", kind: "local", name: "local" };

describe("the greeting", () => {
  test("names every tool with its schemas, and comes before answers to impatient clients", async () => {
    const { door, lines } = open({
      tools: [
        { name: "a", description: "Una", inputSchema: { type: "object" }, outputSchema: { type: "object" }, extra: 1 },
        { name: "b", inputSchema: { type: "object" } },
      ],
    });
    door.receive("oops");
    door.receive('{"type":"call","id":1,"tool":"a"}');
    await door.drain();
    assert.deepEqual(lines, []);
    await door.ready();
    assert.equal(
      lines[0],
      '{"type":"ready","version":"0.1.0","tools":[' +
        '{"name":"a","description":"Una","input_schema":{"type":"object"},"output_schema":{"type":"object"}},' +
        '{"name":"b","description":"","input_schema":{"type":"object"}}]}',
    );
    assert.deepEqual(
      lines.slice(1).map((line) => JSON.parse(line).id),
      [null, 1],
    );
  });
});

describe("a call", () => {
  test("reaches the gateway with the very arguments, principal and language", async () => {
    const { calls } = await talk('{"type":"call","id":1,"tool":"a","args":{"n": 12345678901234567890}}');
    assert.equal(calls.length, 1);
    const [call] = calls;
    assert.equal(call?.tool, "a");
    assert.equal(call?.args.text, '{"n": 12345678901234567890}');
    assert.deepEqual([call?.principal, call?.language, call?.door], [PRINCIPAL, "es", "line"]);
  });

  for (const args of ["", ',"args":null', ',"args":{}']) {
    test(`may leave out its arguments: ${args || "nothing"}`, async () => {
      const { calls } = await talk(`{"type":"call","id":1,"tool":"a"${args}}`);
      assert.equal(calls[0]?.args.text, "{}");
    });
  }

  for (const id of ["0", '""', '"x"', "1.50", "123456789012345678901234567890", '{"b": 1}', "false", "[1]"]) {
    test(`may have the id ${id}, which is repeated as it was written`, async () => {
      const { lines } = await talk(`{"type":"call","id":${id},"tool":"a"}`);
      assert.deepEqual(lines, [`{"type":"result","id":${id},"ok":true,"result":{"ok":true}}`]);
    });
  }

  test("is answered when it is done, not when its turn comes, and exactly once", async () => {
    const slow = Promise.withResolvers<Payload>();
    const { door, lines } = open({ answer: ({ tool }) => (tool === "slow" ? slow.promise : done({ ok: true })) });
    await door.ready();
    door.receive('{"type":"call","id":1,"tool":"slow"}');
    door.receive('{"type":"call","id":2,"tool":"fast"}');
    await new Promise(setImmediate);
    assert.deepEqual(ids(lines), [2]);
    slow.resolve(result({ ok: true }));
    await door.drain();
    assert.deepEqual(ids(lines), [2, 1]);
  });
});

describe("one at a time", () => {
  test("each line is run and answered before the next one is, refusals included", async () => {
    const slow = Promise.withResolvers<Payload>();
    const answer = ({ tool }: CallRequest) => (tool === "slow" ? slow.promise : done({ ok: true }));
    const { door, lines, calls } = open({ answer, oneAtATime: true });
    await door.ready();
    for (const line of ['{"type":"call","id":1,"tool":"slow"}', "oops", '{"type":"call","id":2,"tool":"fast"}']) {
      door.receive(line);
    }
    door.receive('{"type":"quit"}');
    await new Promise(setImmediate);
    assert.equal(calls.length, 1);
    slow.resolve(result({ ok: true }));
    await door.drain();
    assert.deepEqual(ids(lines), [1, null, 2]);
  });
});

describe("results", () => {
  const cases: [string, Payload, string][] = [
    [
      "the structured content, as the source wrote it",
      Payload.ofText('{"content":[],"structuredContent":{"n": 1.0, "big": 12345678901234567890}}'),
      '"result":{"n": 1.0, "big": 12345678901234567890}}',
    ],
    [
      "the content where there is no structured content",
      Payload.ofText('{"content":[{"type":"text","text":"hi"}],"structuredContent":null,"_meta":{}}'),
      '"result":{"content":[{"type":"text","text":"hi"}]}}',
    ],
    ["no content at all", Payload.ofText("{}"), '"result":{"content":[]}}'],
  ];
  for (const [what, payload, ending] of cases) {
    test(`give ${what}`, async () => {
      const { lines } = await talk('{"type":"call","id":1,"tool":"a"}', () => Promise.resolve(payload));
      assert.deepEqual(lines, [`{"type":"result","id":1,"ok":true,${ending}`]);
    });
  }

  test("of a failed tool are errors with its texts", async () => {
    const content = [{ type: "text", text: "Luz 'x' no encontrada" }, { type: "image" }, { type: "text", text: "dos" }];
    const { lines } = await talk('{"type":"call","id":1,"tool":"a"}', () =>
      Promise.resolve(Payload.ofValue({ content, isError: true, structuredContent: { ok: false } })),
    );
    assert.deepEqual(lines, [`{"type":"error","id":1,"ok":false,"error":"Luz 'x' no encontrada\\ndos"}`]);
  });

  test("of a failed tool without words are errors all the same", async () => {
    const { lines } = await talk('{"type":"call","id":1,"tool":"a"}', () =>
      Promise.resolve(Payload.ofText('{"content":[{"type":"image"}],"isError":true}')),
    );
    assert.equal(JSON.parse(lines[0] ?? "").error, '[{"type":"image"}]');
  });
});

describe("lines that are no call", () => {
  const missing = "Mensaje inválido: falta 'id' o 'tool'";
  const unknown = (type: string) => `Tipo de mensaje desconocido: ${type}`;
  const cases: [string, string, string][] = [
    ["hola", "null", "Error al parsear JSON: Expecting value: line 1 column 1 (char 0)"],
    ["7", "null", unknown("None")],
    ["null", "null", unknown("None")],
    ['["call"]', "null", unknown("None")],
    ['"call"', "null", unknown("None")],
    ["{}", "null", unknown("None")],
    ['{"id":5}', "5", unknown("None")],
    ['{"type":null,"id":"x"}', '"x"', unknown("None")],
    ['{"type":"saludo","id":0}', "0", unknown("saludo")],
    ['{"type":true}', "null", unknown("True")],
    ['{"type":1.50}', "null", unknown("1.50")],
    ['{"type":"call"}', "null", missing],
    ['{"type":"call","tool":"a"}', "null", missing],
    ['{"type":"call","id":null,"tool":"a"}', "null", missing],
    ['{"type":"call","id":3}', "3", missing],
    ['{"type":"call","id":3,"tool":""}', "3", missing],
    ['{"type":"call","id":3,"tool":7}', "3", missing],
    ['{"type":"call","id":3,"tool":null}', "3", missing],
    [
      '{"type":"call","id":3,"tool":"a","args":[]}',
      "3",
      "Parámetros inválidos: el parámetro 'args' debe ser un objeto",
    ],
    [
      '{"type":"call","id":3,"tool":"a","args":"{}"}',
      "3",
      "Parámetros inválidos: el parámetro 'args' debe ser un objeto",
    ],
  ];
  for (const [line, id, text] of cases) {
    test(`${line} is refused, and the next line is served`, async () => {
      const { lines, calls } = await talk(`${line}\n{"type":"call","id":99,"tool":"a"}`);
      assert.equal(lines[0], `{"type":"error","id":${id},"ok":false,"error":${JSON.stringify(text)}}`);
      assert.deepEqual(ids(lines.slice(1)), [99]);
      assert.equal(calls.length, 1);
    });
  }

  test("are ignored if blank", async () => {
    assert.deepEqual((await talk("\n   \n\t\r\n")).lines, []);
  });

  test("are refused beyond the limits, and where a key stands twice", async () => {
    const deep = `{"type":"call","id":1,"tool":"a","args":{"a":${"[".repeat(64)}${"]".repeat(64)}}}`;
    const twice = '{"type":"call","id":1,"tool":"a","tool":"b"}';
    const { lines, calls } = await talk(`${deep}\n${twice}`);
    assert.equal(calls.length, 0);
    for (const line of lines)
      assert.match(line, /^\{"type":"error","id":null,"ok":false,"error":"Error al parsear JSON/);
    assert.equal(lines.length, 2);
  });

  test("show only the beginning of an endless type", async () => {
    const { lines } = await talk(`{"type":"${"x".repeat(5000)}"}`);
    assert.ok((lines[0]?.length ?? 0) < 400);
  });
});

describe("quit", () => {
  test("ends the session without a reply; what runs is still answered, what follows is not", async () => {
    const slow = Promise.withResolvers<Payload>();
    const { door, lines, calls } = open({ answer: () => slow.promise });
    await door.ready();
    door.receive('{"type":"call","id":1,"tool":"a"}');
    assert.equal(door.finished, false);
    door.receive('{"type":"quit"}');
    assert.equal(door.finished, true);
    door.receive('{"type":"call","id":2,"tool":"a"}');
    door.receive("oops");
    slow.resolve(result({ ok: true }));
    await door.drain();
    assert.deepEqual(ids(lines), [1]);
    assert.equal(calls.length, 1);
  });
});

describe("failures of the hub", () => {
  const missing = (required: string[], missing: string[]): ErrorDetails => ({
    params: { reason: "missing" },
    data: { required, missing },
  });
  const cases: [Language, ZaguanError, string][] = [
    ["es", new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }), "Tool 'x' no encontrada"],
    ["es", makeError("INVALID_ARGUMENT", missing(["armed"], ["armed"])), "Falta parámetro requerido: armed"],
    ["es", makeError("INVALID_ARGUMENT", missing(["name", "on"], ["on"])), "Faltan parámetros requeridos: name, on"],
    [
      "en",
      makeError("INVALID_ARGUMENT", missing(["armed"], ["armed"])),
      "Invalid params: missing required parameter 'armed'",
    ],
    ["es", makeError("INVALID_ARGUMENT", missing(["name", "on"], [])), "Parámetros inválidos: missing"],
    ["es", new ZaguanError("INTERNAL", { params: { reference: "r1" } }), "Error interno del servidor"],
    ["en", new ZaguanError("INTERNAL", { params: { reference: "r1" } }), "Internal error (reference r1)"],
    ["en", new ZaguanError("RATE_LIMITED", { params: { seconds: 3 } }), "Rate limit exceeded; try again in 3 s"],
    ["es", new ZaguanError("SOURCE_ERROR", { relayed: { code: -1, message: "sin pilas" } }), "sin pilas"],
  ];
  for (const [language, error, text] of cases) {
    test(`${error.code} in ${language}: ${text}`, async () => {
      const { lines } = await talk('{"type":"call","id":1,"tool":"a"}', () => Promise.reject(error), language);
      assert.deepEqual(lines, [`{"type":"error","id":1,"ok":false,"error":${JSON.stringify(text)}}`]);
    });
  }

  test("say nothing of a cause that nobody foresaw", async () => {
    const { lines } = await talk('{"type":"call","id":1,"tool":"a"}', () => Promise.reject(new Error("secret")));
    assert.deepEqual(lines, ['{"type":"error","id":1,"ok":false,"error":"Error interno del servidor"}']);
  });
});

describe("a line that was too long to be taken", () => {
  test("has its error, without an id, in its turn, and none after quit", async () => {
    const { door, lines } = open({ oneAtATime: true, language: "en" });
    await door.ready();
    door.receive('{"type":"call","id":1,"tool":"a"}');
    door.tooLong(1024);
    door.receive('{"type":"quit"}');
    door.tooLong(1024);
    await door.drain();
    assert.deepEqual(ids(lines), [1, null]);
    assert.equal(JSON.parse(lines.at(-1) ?? "").error, "Too large: a line is limited to 1024 bytes");
  });
});

interface Setup {
  readonly tools?: readonly ToolDefinition[];
  readonly answer?: (request: CallRequest) => Promise<Payload>;
  readonly language?: Language;
  readonly oneAtATime?: boolean;
}

function open({ tools = [], answer = () => done({ ok: true }), language = "es", oneAtATime }: Setup): {
  door: LineDoor;
  lines: string[];
  calls: CallRequest[];
} {
  const lines: string[] = [];
  const calls: CallRequest[] = [];
  const gateway: Gateway = {
    listTools: async () => tools.map((definition) => ({ source: "s", definition })),
    findTool: (_principal, name) => tools.find((tool) => tool.name === name),
    call: (request) => {
      calls.push(request);
      return answer(request);
    },
    onToolsChanged: () => () => {},
  };
  const limits = { depth: 64, elements: 10_000 };
  const write = (line: string) => void lines.push(line);
  return {
    door: serveLines({ gateway, principal: PRINCIPAL, language, version: "0.1.0", limits, oneAtATime, write }),
    lines,
    calls,
  };
}

/** Says these lines, one after the other, and returns all that came back after the greeting. */
async function talk(
  text: string,
  answer?: Setup["answer"],
  language?: Language,
): Promise<{ lines: string[]; calls: CallRequest[] }> {
  const { door, lines, calls } = open({ ...(answer && { answer }), ...(language && { language }) });
  await door.ready();
  for (const line of text.split("\n")) {
    door.receive(line);
    await door.drain();
  }
  return { lines: lines.slice(1), calls };
}

function ids(lines: readonly string[]): unknown[] {
  return lines.map((line) => JSON.parse(line).id).filter((id) => id !== undefined);
}

function result(structuredContent: object): Payload {
  return Payload.ofValue({ content: [], structuredContent });
}

function done(structuredContent: object): Promise<Payload> {
  return Promise.resolve(result(structuredContent));
}
