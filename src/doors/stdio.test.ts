import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fakeGateway, untilLeft } from "../../test/support/fake-gateway.ts";
import { ALICE } from "../../test/support/make-call.ts";
import { randomToken } from "../compose/system.ts";
import { localForDoors } from "../core/shared/for-doors.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { CatalogueTarget } from "./mcp/catalogue-target.ts";
import { StatelessCodec } from "./mcp/stateless/codec.ts";
import { StdioDoor } from "./stdio.ts";

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lamp","_meta":{"progressToken":"t"}}}';

describe("MCP on standard input and output", () => {
  it("answers each request once, as one line, with the id's own spelling", async () => {
    const { door, written } = open();
    for (const id of ["0", '""', "9007199254740993"]) door.receive(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\r`);
    await door.drain();
    assert.deepEqual(written, [
      '{"jsonrpc":"2.0","id":0,"result":{}}',
      '{"jsonrpc":"2.0","id":"","result":{}}',
      '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}',
    ]);
  });

  it("answers what is malformed with its code, and goes on", async () => {
    const { door, spoken } = open();
    for (const line of ["nonsense", "[]", '{"id":4,"method":"ping"}', '{"jsonrpc":"2.0","id":5,"method":"no"}']) {
      door.receive(line);
    }
    await door.drain();
    assert.deepEqual(
      spoken().map(({ id, error }) => [id, error?.code]),
      [
        [null, -32700],
        [null, -32600],
        [4, -32600],
        [5, -32601],
      ],
    );
  });

  it("answers a line that was too long to be taken, whose id nobody knows", () => {
    const { door, spoken } = open();
    door.tooLong(1024);
    const message = "Too large: a line is limited to 1024 bytes";
    assert.deepEqual(
      spoken().map(({ id, error }) => [id, error?.code, error?.message]),
      [[null, -32600, message]],
    );
  });

  it("says nothing to notifications and to answers nobody asked for", async () => {
    const { door, written } = open();
    door.receive('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    door.receive('{"jsonrpc":"2.0","id":1,"result":{}}');
    await door.drain();
    assert.deepEqual(written, []);
  });

  it("passes progress on before the answer", async () => {
    const { door, gateway, spoken } = open();
    gateway.answer = async ({ onProgress }) => {
      onProgress?.(Payload.ofText('{"progressToken":9,"progress":1}'));
      return Payload.ofText("{}");
    };
    door.receive(CALL);
    await door.drain();
    assert.deepEqual(spoken(), [
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "t", progress: 1 } },
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
  });

  it("answers a quick request while a slow one runs", async () => {
    const { door, gateway, spoken } = open();
    const slow = Promise.withResolvers<Payload>();
    gateway.answer = () => slow.promise;
    door.receive(CALL);
    door.receive('{"jsonrpc":"2.0","id":2,"method":"ping"}');
    await turn();
    assert.deepEqual(
      spoken().map(({ id }) => id),
      [2],
    );
    slow.resolve(Payload.ofText("{}"));
    await door.drain();
    assert.equal(spoken().length, 2);
  });

  it("shows wrong arguments to the model", async () => {
    const { door, gateway, spoken } = open();
    gateway.answer = () => Promise.reject(new ZaguanError("INVALID_ARGUMENT", { params: { reason: "q" } }));
    door.receive(CALL);
    await door.drain();
    assert.equal(spoken()[0]?.result?.["isError"], true);
  });

  it("ends a call that the client cancels, and then answers nothing", async () => {
    const { door, gateway, written } = open();
    gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    door.receive(CALL);
    door.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    await door.drain();
    assert.deepEqual(written, []);
  });

  it("tells of changed tools only after the handshake, and not after the end", async () => {
    const { door, gateway, written } = open();
    gateway.toolsChanged();
    assert.deepEqual(written, []);
    door.receive('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
    await door.drain();
    gateway.toolsChanged();
    assert.equal(written[1], '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    door.close();
    gateway.toolsChanged();
    assert.deepEqual([written.length, gateway.listeners.size], [2, 0]);
  });

  it("ends what still runs when it is closed", async () => {
    const { door, gateway } = open();
    gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    door.receive(CALL);
    door.close();
    await door.drain();
    assert.equal(gateway.calls[0]?.signal?.aborted, true);
  });
});

interface Spoken {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

function open() {
  const gateway = fakeGateway();
  const written: string[] = [];
  const report = (): string => "ref";
  const door = new StdioDoor({
    target: new CatalogueTarget({ gateway, offers: gateway.offers, door: "stdio" }),
    stateless: new StatelessCodec({
      limit: () => 10,
      report,
      suspended: localForDoors(randomToken).openSuspended("stdio"),
    }),
    principal: ALICE,
    language: "en",
    limits: { depth: 64, elements: 1_000 },
    write: (message) => written.push(message),
    report,
  });
  return { gateway, written, door, spoken: () => written.map((text) => JSON.parse(text) as Spoken) };
}
