/** A small JSON API in a process of its own, so that it shares no event loop with who measures. Prints its address. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const ANSWER = JSON.stringify({
  location: { name: "Buenos Aires", country: "Argentina", lat: -34.6, lon: -58.4 },
  current: { temp_c: 22.5, condition: { text: "Sunny", code: 1000 }, wind_kph: 11.2, humidity: 56 },
});

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(ANSWER) });
  response.end(ANSWER);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
