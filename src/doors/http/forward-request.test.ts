import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import type { Door, Exchange } from "../door.ts";
import { forwardRequest } from "./forward-request.ts";

const LARGE = Buffer.alloc(20_000_000);

describe("an answer of another node", () => {
  const asked: Exchange[] = [];
  const other = createServer((_, response) => void response.end(LARGE));
  let doors: OpenDoors;
  before(async () => {
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const handle = (exchange: Exchange) => {
      asked.push(exchange);
      return forwardRequest(exchange, connect(port, "127.0.0.1"), "other");
    };
    const door: Door = { name: "test", routes: [{ method: "GET", path: "/", needs: "see", handle }] };
    doors = await openDoors([door]);
  });
  after(async () => {
    other.closeAllConnections();
    other.close();
    await doors.close();
  });

  it("reaches its caller whole", async () => {
    assert.equal((await doors.ask("/")).text.length, LARGE.length);
  });

  it("counts as unread where its caller does not read it, and has the time of our own", async () => {
    const caller = connect(doors.port, "127.0.0.1").pause();
    caller.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await until("it is counted", () => doors.unreadBytes() > 0);
    const { response } = asked.at(-1) as Exchange;
    assert.equal(response.socket?.timeout, 10_000);
    response.socket?.emit("timeout");
    assert.equal(response.destroyed, true);
    await until("nothing is left of it", () => doors.unreadBytes() === 0);
    caller.destroy();
  });

  it("may be silent for as long as it likes where everything was read", async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    other.removeAllListeners("request").on("request", (_, response) => {
      response.write("first");
      void end.then(() => response.end("last"));
    });
    const answer = await doors.begin("/");
    const { socket } = (asked.at(-1) as Exchange).response;
    socket?.emit("timeout");
    resolve();
    let text = "";
    for await (const chunk of answer) text += chunk;
    assert.equal(text, "firstlast");
  });
});
