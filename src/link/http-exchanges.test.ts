import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  ANSWER,
  CALL,
  cleanUp,
  connect,
  failure,
  json,
  type State,
  serve,
  status,
  stream,
  until,
} from "../../test/support/http-house.ts";
import { type Ending, sayEnding } from "./ending.ts";
import { Reachability } from "./http-exchanges.ts";

const NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}';

afterEach(cleanUp);

describe("a message that nobody waits for", () => {
  it("is given up when its answer does not begin, and holds no socket", async () => {
    const house = await serve(() => {});
    const { link, ended } = await connect(house, { unaskedMs: 1_000 });
    const errors = await Promise.all(Array.from({ length: 20 }, () => failure(link.send(NOTIFICATION))));
    for (const error of errors) assert.equal(error.code, "OUTCOME_UNKNOWN");
    await until(() => house.seen.length === 20 && house.sockets.size === 0);
    assert.deepEqual(ended, []);
  });

  it("is over, without complaint, when its answer does not end", async () => {
    const house = await serve((_seen, response) => response.writeHead(202).write("x"));
    const { link, ended } = await connect(house, { unaskedMs: 1_000 });
    await link.send(NOTIFICATION);
    await until(() => house.sockets.size === 0);
    assert.deepEqual(ended, [{ sent: NOTIFICATION, error: undefined }]);
  });

  it("is another matter than a request, whose sender decides how long to wait", async () => {
    const house = await serve((_seen, response) => setTimeout(() => json(response, 200, ANSWER), 400));
    const { link, messages, ended } = await connect(house, { unaskedMs: 50 });
    await link.send(CALL, new AbortController().signal);
    await until(() => ended.length === 1);
    assert.deepEqual(messages, [ANSWER]);
  });
});

describe("a stream that goes on after its response", () => {
  const unanswered = (state: State) => ({ isPending: () => state.messages.length === 0 });

  it("is cut, without complaint", async () => {
    const house = await serve((_seen, response) => stream(response, `id: 1\ndata: ${ANSWER}\n\n`));
    const { link, messages, ended } = await connect(house, {}, unanswered);
    const { signal } = new AbortController();
    for (let i = 0; i < 10; i++) await link.send(CALL, signal);
    await until(() => ended.length === 10 && house.sockets.size === 0);
    assert.equal(messages.length, 10);
    assert.ok(ended.every(({ error }) => error === undefined));
    assert.ok(house.seen.every(({ method }) => method === "POST"));
  });

  it("is not cut before, whatever else it brings", async () => {
    const house = await serve((_seen, response) => {
      stream(response, 'data: {"progress":1}\n\n');
      setTimeout(() => response.end(`data: ${ANSWER}\n\n`), 400);
    });
    const isPending = ({ messages }: State) => !messages.includes(ANSWER);
    const { link, messages, ended } = await connect(house, {}, (state) => ({ isPending: () => isPending(state) }));
    await link.send(CALL, new AbortController().signal);
    await until(() => ended.length === 1);
    assert.deepEqual([messages, ended[0]?.error], [['{"progress":1}', ANSWER], undefined]);
  });

  it("is cut also where it was taken up again", async () => {
    const house = await serve((seen, response) => {
      if (seen.method === "POST") stream(response, "retry: 100\nid: p1\ndata:\n\n").end();
      else stream(response, `id: p2\ndata: ${ANSWER}\n\n`);
    });
    const { link, messages, ended } = await connect(house, {}, unanswered);
    await link.send(CALL, new AbortController().signal);
    await until(() => ended.length === 1);
    assert.deepEqual([messages, ended[0]?.error], [[ANSWER], undefined]);
    await until(() => house.seen[1]?.socket.destroyed === true);
  });

  it("has a moment to end by itself, so that its connection serves the next call", async () => {
    const house = await serve((_seen, response) => {
      stream(response, `data: ${ANSWER}\n\n`);
      setImmediate(() => response.end());
    });
    const { link, ended } = await connect(house, {}, unanswered);
    for (let i = 1; i <= 10; i++) {
      await link.send(CALL, new AbortController().signal);
      await until(() => ended.length === i);
    }
    assert.ok(house.connections() < 10, `${house.connections()} connections`);
  });
});

describe("a server that is gone", () => {
  it("ends the link after three connects in a row have failed, each request with its own error", async () => {
    const house = await serve(status(202));
    const { link } = await connect(house);
    await house.stop();
    const errors = await Promise.all([1, 2, 3].map(() => failure(link.send(CALL))));
    for (const error of errors) {
      assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
      assert.equal(error.details.params?.["reason"], "connection refused");
    }
    assert.equal(sayEnding(await link.closed), "connection refused");
    assert.equal((await failure(link.send(CALL))).delivery, "not_sent");
  });

  it("is not taken for gone because callers cancelled", async () => {
    const house = await serve(status(202));
    const { link } = await connect(house);
    for (let i = 0; i < 5; i++) {
      const controller = new AbortController();
      const cancelled = failure(link.send(CALL, controller.signal));
      controller.abort();
      assert.deepEqual([(await cancelled).code, (await cancelled).delivery], ["CANCELLED", "not_sent"]);
    }
    await link.send(CALL);
    assert.equal(house.seen.length, 1);
  });

  it("is noticed by listening alone", async () => {
    const house = await serve((_seen, response) => stream(response, "retry: 100\n\n"));
    const { link } = await connect(house);
    link.listen();
    await until(() => house.seen.length === 1);
    await house.stop();
    assert.equal(sayEnding(await link.closed), "connection refused");
  });

  it("is waited for as long as it has an answer to finish", async (test) => {
    let finish: ServerResponse | undefined;
    const server = createServer((_request, response) => {
      finish = response;
    });
    test.after(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { link, messages } = await connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    let end: Ending | undefined;
    void link.closed.then((ending) => {
      end = ending;
    });
    const answered = link.send(CALL, new AbortController().signal);
    await until(() => finish !== undefined);
    server.close();
    for (let i = 0; i < 4; i++) assert.equal((await failure(link.send(CALL))).delivery, "not_sent");
    assert.equal(end, undefined);
    finish?.writeHead(200, { "content-type": "application/json", connection: "close" }).write(ANSWER.slice(0, 9));
    await answered;
    finish?.end(ANSWER.slice(9));
    await until(() => messages.length === 1);
    await failure(link.send(CALL));
    await failure(link.send(CALL));
    await failure(link.send(CALL));
    await until(() => end?.reason === "connection refused");
  });
});

describe("a server", () => {
  let lost: string[];
  let reachability: Reachability;

  beforeEach(() => {
    lost = [];
    reachability = new Reachability((reason) => lost.push(reason));
  });

  it("is lost after three failures in a row, for the last one's reason", () => {
    for (const reason of ["one", "two"]) reachability.failed(reason);
    assert.deepEqual(lost, []);
    reachability.failed("three");
    assert.deepEqual(lost, ["three"]);
  });

  it("is not lost if it answered in between", () => {
    for (let i = 0; i < 4; i++) {
      reachability.failed("a");
      reachability.failed("b");
      reachability.succeeded();
    }
    assert.deepEqual(lost, []);
  });

  it("is not lost while an answer may still come, and is when the last of them has", () => {
    reachability.expect();
    reachability.expect();
    for (let i = 0; i < 5; i++) reachability.failed("refused");
    reachability.arrived();
    assert.deepEqual(lost, []);
    reachability.arrived();
    assert.deepEqual(lost, ["refused"]);
  });
});
