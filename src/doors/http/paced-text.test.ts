import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { until } from "../../../test/support/processes.ts";
import { PacedText } from "./paced-text.ts";

describe("text that leaves piece by piece", () => {
  let server: Server;
  let arrived: (response: ServerResponse) => void = () => {};
  before(async () => {
    server = createServer((_, response) => arrived(response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const port = (): number => (server.address() as AddressInfo).port;
  const asked = (): Promise<ServerResponse> => new Promise((resolve) => (arrived = resolve));

  it("arrives whole and in its order, also where a piece would end within a character", async () => {
    const texts = ["a".repeat(65_535) + "💡".repeat(200_000), "short", "ñ客".repeat(300_000), "", "end"];
    const asking = asked();
    const answer = once(get({ port: port(), agent: false }), "response") as Promise<[IncomingMessage]>;
    const paced = new PacedText(await asking);
    for (const text of texts) paced.write(text);
    assert.ok(paced.writableLength > 500_000, `${paced.writableLength}`);
    paced.end();
    assert.equal(paced.isOpen, false);
    const [response] = await answer;
    let read = "";
    for await (const chunk of response.setEncoding("utf8")) read += chunk;
    assert.ok(read === texts.join(""), "something else arrived");
    assert.equal(paced.writableLength, 0);
  });

  /** Asks, and reads nothing. */
  async function unread() {
    const asking = asked();
    const socket = connect(port(), "127.0.0.1").pause();
    socket.on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const response = await asking;
    const paced = new PacedText(response);
    paced.write("x".repeat(20_000_000));
    return { socket, response, paced };
  }

  it("is not handed to Node while it is not read, and forgotten when its client is cut", async () => {
    const { socket, response, paced } = await unread();
    let before = -1;
    await until("nothing leaves any more", () => {
      const now = paced.writableLength;
      const isSame = now === before;
      before = now;
      return isSame;
    });
    assert.ok(before > 5_000_000, `${before} are left`);
    assert.ok(response.writableLength <= 131_072, `${response.writableLength} were handed over`);
    paced.end();
    assert.equal(response.writableEnded, false);
    paced.destroy();
    assert.deepEqual([paced.isOpen, paced.writableLength <= 131_072], [false, true]);
    socket.destroy();
  });

  it("is forgotten when its client leaves or Node cuts it", async () => {
    const [left, cut] = [await unread(), await unread()];
    left.socket.destroy();
    cut.response.socket?.destroy();
    await until("both are forgotten", () => left.paced.writableLength + cut.paced.writableLength <= 2 * 131_072);
    cut.socket.destroy();
  });
});
