/** A configuration, and what is registered beside it, with a secret in every place that takes one. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { RegistryClient } from "../registry-client.ts";
import { oauthFields, toolBody } from "../seed-004.ts";
import type { Canaries } from "./canaries.ts";

const TELLTALE = fileURLToPath(new URL("telltale.mjs", import.meta.url));
const PRIVATE = { zaguan: { allowPrivate: true } };
const WRITTEN = ["repeat", "text", "broken", "elsewhere"].map((name) => ({
  name,
  description: name,
  method: "GET",
  path: `/api/${name}`,
}));

export function plantedConfig(canaries: Canaries, host: string, broker: { port: number; password: string }): object {
  const plant = (place: string, tail?: string): string => canaries.plant(place, tail);
  const inUrl = (place: string): string => encodeURIComponent(plant(place));
  const [http, ws] = [`http://${host}`, `ws://${host}`];
  const api = (auth: object, headers = {}) => ({ baseUrl: http, auth, headers, tools: WRITTEN, ...PRIVATE });
  const key = (place: string) => ({
    type: "apiKey",
    in: place,
    name: "X-Code",
    value: plant(`an API's key in its ${place}`),
  });
  const oauth = (tokenUrl: string, place: string, sendAs: string) => ({
    type: "oauth2",
    tokenUrl: `${http}${tokenUrl}`,
    clientId: "me",
    clientSecret: plant(place),
    sendAs,
  });
  return {
    mcpServers: {
      child: {
        command: process.execPath,
        args: [TELLTALE, ...plantedArguments(canaries, "configured")],
        env: {
          TOLD_API_TOKEN: plant("environment: a token"),
          TOLD_DB_PASSWORD: plant("environment: a password"),
          TOLD_ODD: plant("environment: by its looks alone"),
          TOLD_DATABASE: `postgres://me:${inUrl("environment: a password in a URL")}@db/x`,
          TOLD_PAIRS: `host=db user=me password=${plant("environment: a pair in a text", "")}`,
          TOLD_JSON: JSON.stringify({ db: { api_key: plant("environment: a member of JSON") } }),
          TOLD_HEADERS: JSON.stringify({ Authorization: `Bearer ${plant("environment: a header in JSON")}` }),
        },
      },
      lines: {
        type: "line",
        command: process.execPath,
        args: [TELLTALE],
        env: { TOLD_LINES: "1", TOLD_SECRET_KEY: plant("environment: of a line program") },
      },
      remote: {
        url: `${http}/mcp?api_key=${inUrl("URL: a key in the query")}`,
        headers: {
          Authorization: `Bearer ${plant("header: Authorization")}`,
          "X-Whatever": plant("header: of any name"),
          "X-Tenant": plant("header: of a harmless name"),
          Cookie: `sid=${plant("header: Cookie", "")}`,
        },
        ...PRIVATE,
      },
      basic: {
        url: `${http}/mcp`,
        headers: {
          Authorization: `Basic ${Buffer.from(`me:${plant("header: password of Basic")}`).toString("base64")}`,
        },
        ...PRIVATE,
      },
      login: { url: `http://me:${inUrl("URL: password of a user")}@${host}/mcp`, ...PRIVATE },
      events: {
        type: "sse",
        url: `${http}/sse?token=${inUrl("URL: a token of HTTP+SSE")}`,
        headers: { "X-Api-Key": plant("header: of HTTP+SSE") },
        ...PRIVATE,
      },
      socket: {
        url: `${ws}/socket?access_token=${inUrl("URL: a token of a WebSocket")}`,
        headers: { "X-Api-Key": plant("header: of a WebSocket") },
        ...PRIVATE,
      },
      ...Object.fromEntries(
        ["broken", "refusing", "elsewhere"].map((name) => [
          name,
          {
            url: `${http}/${name}?key=${inUrl(`URL: of one that is ${name}`)}`,
            headers: { "X-Api-Key": plant(`header: of one that is ${name}`) },
            ...PRIVATE,
          },
        ]),
      ),
    },
    homeAssistant: { home: { url: http, token: plant("Home Assistant's token"), ...PRIVATE } },
    mqtt: {
      broker: { url: `mqtt://127.0.0.1:${broker.port}`, username: "me", password: broker.password, ...PRIVATE },
      nobroker: {
        url: "mqtt://127.0.0.1:1",
        username: "me",
        password: plant("MQTT: a password for nobody"),
        ...PRIVATE,
      },
    },
    apiTools: {
      bearer: api(
        { type: "bearer", token: plant("an API's bearer") },
        { "X-Whatever": plant("an API's header of any name") },
      ),
      user: api({ type: "basic", username: "me", password: plant("an API's password") }),
      inheader: api(key("header")),
      inquery: api(key("query")),
      incookie: api(key("cookie")),
      oauth: api(oauth("/token", "an API's client secret", "body")),
      badoauth: api(oauth("/bad-token", "an API's refused client secret", "header")),
      documented: { openapi: `${http}/openapi.json?token=${inUrl("a document's address")}`, ...PRIVATE },
      undocumented: { openapi: `${http}/broken?token=${inUrl("the address of no document")}`, ...PRIVATE },
      address: { ...api({ type: "none" }), auth: undefined, baseUrl: `${http}/?token=${inUrl("an API's address")}` },
    },
    xiaozhi: {
      endpoints: [
        {
          name: "cloud",
          url: `${ws}/cloud?token=${inUrl("a voice cloud's URL")}`,
          token: plant("a voice cloud's token"),
          allowPrivate: true,
        },
      ],
      vision: { url: `${http}/vision`, token: plant("a vision service's token") },
    },
    devices: { screenshot: { vision: { url: `${http}/vision`, token: plant("a screenshot's vision token") } } },
    auth: { allowedCommands: [process.execPath] },
    log: { level: "trace" },
  };
}

/** In the four ways in which arguments carry secrets. */
function plantedArguments(canaries: Canaries, who: string): string[] {
  return [
    `--api-key=${canaries.plant(`argument: with a name, ${who}`)}`,
    "--token",
    canaries.plant(`argument: after a name, ${who}`),
    "--header",
    `Authorization: Bearer ${canaries.plant(`argument: a header, ${who}`)}`,
    `https://example.org/?access_token=${encodeURIComponent(canaries.plant(`argument: in a URL, ${who}`))}`,
  ];
}

/** What is registered over HTTP. */
export async function plantRegistered(canaries: Canaries, client: RegistryClient, http: string): Promise<void> {
  const plant = (place: string): string => canaries.plant(place);
  const inUrl = (place: string): string => encodeURIComponent(plant(place));
  await client.done("POST", "/mcp/servers", {
    name: "kept",
    baseUrl: `${http}/mcp?token=${inUrl("registered: in the URL")}&page=2`,
    authType: "apikey",
    credentials: plant("registered: credentials"),
    headers: { "X-Whatever": plant("registered: a header") },
  });
  await client.done("POST", "/mcp/servers", {
    name: "keptchild",
    command: process.execPath,
    args: [TELLTALE, ...plantedArguments(canaries, "registered")],
    env: { TOLD_CODE: plant("registered: environment") },
  });
  await client.done("POST", "/mcp/servers", {
    name: "keptbroken",
    baseUrl: `${http}/broken?token=${inUrl("registered: in the URL of a broken one")}`,
  });
  const described = { baseUrl: http, customHeaders: { "X-Own": plant("described: a header") } };
  const apiKey = {
    authenticationType: "API_KEY",
    apiKeyLocation: "QUERY_PARAMETER",
    apiKeyName: "code",
    apiKeyValue: plant("described: a key"),
  };
  await client.done("POST", "/admin/tools/api", { ...toolBody("described", "/api/repeat", apiKey), ...described });
  const oauth = oauthFields(`${http}/token`, "body", plant("described: a client secret"));
  await client.done("POST", "/admin/tools/api", {
    ...toolBody("granted", `/api/repeat?token=${inUrl("described: in the path")}`, oauth),
    baseUrl: http,
    description: "granted",
  });
  await client.done("POST", "/admin/apis", {
    name: "imported",
    url: `${http}/openapi.json?token=${inUrl("imported: in the URL of the document")}`,
    auth: { type: "bearer", token: plant("imported: a bearer") },
    headers: { "X-Own": plant("imported: a header") },
  });
}
