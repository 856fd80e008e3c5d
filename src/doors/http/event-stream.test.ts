import assert from "node:assert/strict";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, afterEach, before, describe, it, mock } from "node:test";
import { until } from "../../../test/support/processes.ts";
import { EventStream } from "./event-stream.ts";

describe("an event stream", () => {
  let server: Server;
  let opened: ((stream: EventStream, gone: () => boolean) => void) | undefined;
  before(async () => {
    server = createServer((_, response) => {
      const stream = new EventStream(response, { "mcp-session-id": "s1" });
      opened?.(stream, () => response.destroyed);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    mock.timers.reset();
  });
  after(() => server.close());

  const open = () =>
    new Promise<{ response: IncomingMessage; stream: EventStream; text: () => string }>((resolve) => {
      let stream: EventStream;
      opened = (made) => {
        stream = made;
      };
      get({ port: (server.address() as AddressInfo).port, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        response.on("error", () => {});
        resolve({ response, stream, text: () => text });
      });
    });

  it("begins at once, before anything is said, and is kept back by nobody", async () => {
    const { response } = await open();
    const { headers } = response;
    assert.deepEqual([response.statusCode, headers["content-type"]], [200, "text/event-stream"]);
    assert.deepEqual([headers["cache-control"], headers["x-accel-buffering"]], ["no-store", "no"]);
    assert.equal(headers["mcp-session-id"], "s1");
  });

  it("sends each message as one event, whatever line ends it holds", async () => {
    const { stream, text, response } = await open();
    stream.send('{"a":1}');
    stream.send("two\nlines");
    stream.end();
    await until("the end", () => response.complete);
    assert.equal(text(), 'event: message\ndata: {"a":1}\n\nevent: message\ndata: two\ndata: lines\n\n');
  });

  it("names an event otherwise where it is asked to", async () => {
    const { stream, text, response } = await open();
    stream.send("/there", "endpoint");
    stream.end();
    await until("the end", () => response.complete);
    assert.equal(text(), "event: endpoint\ndata: /there\n\n");
  });

  it("gives events ids where it is asked to, and says where to come back to", async () => {
    const { stream, text, response } = await open();
    stream.prime("s-0", 2_000);
    stream.send("{}", "message", "s-1");
    stream.end();
    await until("the end", () => response.complete);
    assert.equal(text(), "id: s-0\nretry: 2000\ndata: \n\nevent: message\nid: s-1\ndata: {}\n\n");
  });

  it("tells what was missed, however much it is, without taking it for a backlog", async () => {
    const { stream, text, response } = await open();
    const missed = Array.from({ length: 10 }, (_, index) => ({ id: `s-${index}`, text: "x".repeat(500_000) }));
    stream.catchUp([]);
    stream.catchUp(missed);
    stream.end();
    await until("the end", () => response.complete);
    assert.equal(text(), missed.map(({ id, text }) => `event: message\nid: ${id}\ndata: ${text}\n\n`).join(""));
  });

  it("is open until its end, and tells whether all of it left", async () => {
    for (const isWhole of [true, false]) {
      const { stream, response } = await open();
      assert.equal(stream.isOpen, true);
      const closed = new Promise<boolean>((resolve) => stream.onClose(resolve));
      if (isWhole) stream.end();
      else response.destroy();
      assert.equal(await closed, isWhole);
      assert.equal(stream.isOpen, false);
    }
  });

  it("sends one message whole, however large it is", async () => {
    const { stream, text, response } = await open();
    stream.send("x".repeat(20_000_000));
    stream.end();
    await until("the end", () => response.complete);
    assert.equal(text().length, 20_000_000 + "event: message\ndata: \n\n".length);
  });

  it("takes what is said after the end for nothing", async () => {
    const { stream, text, response } = await open();
    stream.end();
    stream.send("late");
    stream.end();
    await until("the end", () => response.complete);
    assert.equal(text(), "");
  });

  it("says now and then that it is still there, in a comment, until its end", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    const { stream, text, response } = await open();
    mock.timers.tick(30_000);
    await until("two comments", () => text() === ": still here\n\n: still here\n\n");
    stream.end();
    mock.timers.tick(60_000);
    mock.timers.reset();
    await until("the end", () => response.complete);
    assert.equal(text(), ": still here\n\n: still here\n\n");
  });

  it("is cut for a reader that does not read, before its backlog becomes our memory", async () => {
    const reading = new Promise<{ stream: EventStream; gone: () => boolean }>((resolve) => {
      opened = (stream, gone) => resolve({ stream, gone });
    });
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => {
      socket.pause();
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    });
    socket.on("error", () => {});
    const { stream, gone } = await reading;
    const message = "x".repeat(256 * 1_024);
    let sent = 0;
    while (!gone() && sent < 400) {
      stream.send(message);
      sent++;
    }
    assert.ok(gone(), `${sent} messages of 256 KiB were taken`);
    stream.send("later");
    socket.destroy();
  });
});
