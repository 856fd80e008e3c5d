/**
 * The load generator's ceiling: a server on a bare socket that answers with the same text, only the caller's id and text
 * put in. It takes every chunk for one whole request, which small requests on connections of their own are.
 */
import { createServer } from "node:net";
import { endOfValue, findMember } from "./json-text.mjs";

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    const request = chunk.toString("latin1");
    socket.write(answerTo(request.slice(request.indexOf("\r\n\r\n") + 4)), "latin1");
  });
});

function answerTo(body) {
  const idAt = findMember(body, 0, "id");
  if (idAt < 0) return "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
  const id = body.slice(idAt, endOfValue(body, idAt));
  const textAt = body.indexOf('"text":') + 7;
  const text = textAt > 7 ? body.slice(textAt, endOfValue(body, textAt)) : '""';
  const answer = `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":${text}}]}}`;
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`;
}

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
