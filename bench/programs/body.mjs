/** Reads a body as text, byte by character, and answers with one: the same for every server here. */

export function readBody(request, onBody) {
  let first;
  let rest;
  request.on("data", (chunk) => {
    if (first === undefined) first = chunk;
    else if (rest === undefined) rest = [first, chunk];
    else rest.push(chunk);
  });
  request.on("end", () => {
    const body = rest ? Buffer.concat(rest) : first;
    onBody(body ? body.toString("latin1") : "");
  });
}

/** One write: Node puts the head before a body that is text. */
export function answerJson(response, text) {
  response.writeHead(200, ["content-type", "application/json", "content-length", text.length]);
  response.end(text, "latin1");
}

export function accept(response) {
  response.writeHead(202, ["content-length", 0]);
  response.end();
}

/** Says where it listens, in the form that the bench waits for. */
export function announce(server) {
  server.keepAliveTimeout = 65_000;
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
}
