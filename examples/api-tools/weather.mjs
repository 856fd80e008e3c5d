/**
 * A small weather service to try API tools with, in plain Node: `node weather.mjs [PORT]` (8085 unless told otherwise).
 * The weather is made up, and the same every time. Reports are taken from those who send its key alone.
 */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import process from "node:process";

const KEY = process.env.WEATHER_KEY ?? "open-sesame";
const CONDITIONS = ["sunny", "cloudy", "windy", "rainy"];
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const LONGEST_REPORT = 10_000;

const ROUTES = {
  "GET /": () => said(200, { service: "weather" }),
  "GET /openapi.yaml": openApi,
  "GET /v1/current.json": current,
  "GET /v1/history.json": history,
  "GET /v1/map.png": () => ({ status: 200, type: "image/png", body: Buffer.from(PIXEL, "base64") }),
  "POST /v1/reports": report,
};

const server = createServer(async (request, response) => {
  const { status, type, body } = await answerTo(request).catch(() => said(500, { error: "the service failed" }));
  response.writeHead(status, { "content-type": type }).end(request.method === "HEAD" ? undefined : body);
});
server.listen(Number(process.argv[2] ?? 8085), "127.0.0.1", () => {
  console.log(`weather on http://127.0.0.1:${server.address().port}`);
});

async function answerTo(request) {
  const url = new URL(request.url, "http://weather");
  const method = request.method === "HEAD" ? "GET" : request.method;
  const city = /^\/v1\/([^/]+)\/forecast$/.exec(url.pathname)?.[1];
  if (method === "GET" && city) return forecast(decodeURIComponent(city), url.searchParams);
  const route = ROUTES[`${method} ${url.pathname}`];
  return route ? route(url.searchParams, request) : said(404, { error: "there is no such place" });
}

function current(query) {
  const city = query.get("q");
  return city ? said(200, { ...weatherIn(city, 0), city }) : said(400, { error: "q is missing" });
}

function forecast(city, query) {
  const count = Number(query.get("days") ?? 3);
  if (!(count >= 1 && count <= 14)) return said(400, { error: "days must be 1 to 14" });
  const days = Array.from({ length: count }, (_, day) => ({ day, ...weatherIn(city, day) }));
  return said(200, { city, days });
}

/** Every hour of a year, which is much. */
function history(query) {
  const city = query.get("q") ?? "";
  const hours = Array.from({ length: 8_760 }, (_, hour) => ({ hour, ...weatherIn(city, hour) }));
  return said(200, { city, hours });
}

async function report(_query, request) {
  if (request.headers["x-api-key"] !== KEY) return said(401, { error: "X-API-Key is missing or wrong" });
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > LONGEST_REPORT) return said(413, { error: "a report is shorter than that" });
  }
  const { city, seen } = JSON.parse(text);
  return said(201, { thanks: true, city, seen });
}

/** With this service as its server, whichever port it has. */
async function openApi(_query, request) {
  const text = await readFile(new URL("weather.openapi.yaml", import.meta.url), "utf8");
  const body = text.replace("http://127.0.0.1:8085", `http://${request.headers.host}`);
  return { status: 200, type: "application/yaml", body };
}

function weatherIn(city, time) {
  const number = [...city].reduce((sum, character) => sum + character.codePointAt(0), 0) + 5 * time;
  return { temperature: 4 + (number % 21), condition: CONDITIONS[number % CONDITIONS.length] };
}

function said(status, body) {
  return { status, type: "application/json", body: JSON.stringify(body) };
}
