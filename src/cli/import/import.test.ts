/** `zaguan import` of OpenAPI documents and HandsAI's exports, against a stand-in of the hub on a real socket. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { cleanEnvironment, zaguanCommand } from "../../../test/support/spawn-zaguan.ts";
import { main } from "../main.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-import-"));
const pets = join(folder, "pets.yaml");
const DOCUMENT = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}\n";
const ADDRESS = "https://pets.example/openapi.json?token=hush";

const SKIPPED = [{ where: "GET /odd", reason: "its parameter 'x' has no place" }];
const API = {
  id: "id-1",
  name: "pets",
  title: "Pets",
  url: "https://pets.example/openapi.json?…",
  baseUrl: "https://pets.example/v1",
  tools: 2,
  skipped: SKIPPED,
  schemes: [{ name: "key", type: "apiKey", given: false }],
};
const PREVIEW = {
  name: "pets",
  title: "Pets",
  baseUrl: null,
  servers: [],
  tags: ["pet", "store"],
  schemes: [{ name: "key", type: "apiKey" }],
  operations: [
    { name: "listPets", method: "GET", path: "/pets", description: "Lists" },
    { name: "addPet", method: "POST", path: "/pets", description: "Adds" },
  ],
  skipped: SKIPPED,
};
const REFRESHED = {
  api: API,
  changes: { added: ["feedPet"], removed: ["sellPet"], changed: [{ name: "addPet", members: ["path", "body"] }] },
  skipped: [],
};
const PROVIDERS = [
  { name: "Weather", code: "weather", baseUrl: "https://w.example", authenticationType: "API_KEY", tools: [{}, {}] },
  { name: "Time", code: "time", baseUrl: "https://t.example", authenticationType: "NONE", tools: [{}] },
];

interface Asked {
  readonly what: string;
  readonly body: unknown;
}

/** Answers what it was told to, and keeps what it was asked. */
class StandIn {
  url = "";
  asked: Asked[] = [];
  answers: Record<string, readonly [number, unknown]> = {};
  readonly #server = createServer(async (request, response) => {
    const what = `${request.method} ${request.url}`;
    this.asked.push({ what, body: JSON.parse((await textOf(request)) || "null") });
    const [status, body] = this.answers[what] ?? [404, problem("NO_SUCH", "There is none")];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close().closeAllConnections();
  }
}

const hub = new StandIn();
before(async () => {
  writeFileSync(pets, DOCUMENT);
  await hub.open();
});
beforeEach(() => {
  hub.asked = [];
  hub.answers = {
    "POST /admin/apis": [201, API],
    "POST /admin/apis/preview": [200, PREVIEW],
    "GET /admin/apis": [200, [API]],
    "GET /admin/apis/pets": [200, API],
    "PATCH /admin/apis/pets": [200, API],
    "POST /admin/apis/pets/refresh": [200, REFRESHED],
  };
});
after(() => {
  hub.close();
  rmSync(folder, { recursive: true });
});

async function zaguan(...words: string[]) {
  let [out, err] = ["", ""];
  const code = await main(words, {
    env: { ZAGUAN_URL: hub.url, ZAGUAN_DATA: join(folder, "data"), ZAGUAN_CONFIG: join(folder, "zaguan.json") },
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

/** The command with a text on its stdin, in a process of its own. */
async function fed(text: string, ...words: string[]) {
  const { command, args } = zaguanCommand(...words, "--hub", hub.url, "--data", join(folder, "data"));
  const child = spawn(command, args, { cwd: folder, env: cleanEnvironment(), stdio: ["pipe", "ignore", "pipe"] });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (err += part));
  child.stdin.end(text);
  const [code] = await once(child, "close");
  return { code, err };
}

describe("importing an OpenAPI document", () => {
  test("sends a file's text, and says what came of it, what was left out and what is missing", async () => {
    const { code, out, err } = await zaguan("import", pets);
    assert.equal(code, 0, err);
    assert.deepEqual(hub.asked, [{ what: "POST /admin/apis", body: { document: DOCUMENT } }]);
    assert.equal(out, "Imported 'Pets' as pets; tools: 2.\n");
    assert.equal(
      err,
      "Skipped GET /odd: its parameter 'x' has no place\n" +
        "No credentials were given; the API may ask for them: key (apiKey)\n",
    );
  });

  test("sends an address for the hub to fetch, with every setting", async () => {
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, "hunter2\n");
    const words = [
      "--name",
      "shop",
      "--base-url",
      "https://shop.example",
      "--tag",
      "a",
      "--tag",
      "b",
      "--path",
      "/x/*",
    ];
    const { code, err } = await zaguan(
      "import",
      ADDRESS,
      ...words,
      "--header",
      "X-Version: 2",
      "--bearer",
      `@${tokenFile}`,
    );
    assert.equal(code, 0, err);
    assert.deepEqual(hub.asked.at(-1)?.body, {
      name: "shop",
      url: ADDRESS,
      baseUrl: "https://shop.example",
      tags: ["a", "b"],
      paths: ["/x/*"],
      auth: { type: "bearer", token: "hunter2" },
      headers: { "X-Version": "2" },
    });
    assert.doesNotMatch(err, /others on this machine/);
  });

  const credentials: readonly (readonly [readonly string[], unknown])[] = [
    [["--bearer", "a=b:c"], { type: "bearer", token: "a=b:c" }],
    [["--api-key", "header:X-Key=a=b"], { type: "apiKey", in: "header", name: "X-Key", value: "a=b" }],
    [["--api-key", "query:key=k"], { type: "apiKey", in: "query", name: "key", value: "k" }],
    [["--api-key", "cookie:sid=k"], { type: "apiKey", in: "cookie", name: "sid", value: "k" }],
    [["--basic", "me:a:b "], { type: "basic", username: "me", password: "a:b " }],
    [["--basic", "me:"], { type: "basic", username: "me", password: "" }],
  ];
  for (const [words, auth] of credentials) {
    test(`sends credentials: ${words.join(" ")}`, async () => {
      const { code } = await zaguan("import", pets, ...words);
      assert.equal(code, 0);
      assert.deepEqual(hub.asked[0]?.body, { document: DOCUMENT, auth });
    });
  }

  test("takes secrets from files, wherever they stand", async () => {
    writeFileSync(join(folder, "secret"), "hunter2\r\n");
    await zaguan("import", pets, "--api-key", `header:X-Key=@${join(folder, "secret")}`);
    await zaguan("import", pets, "--basic", `me:@${join(folder, "secret")}`);
    assert.deepEqual(
      hub.asked.map(({ body }) => (body as { auth: unknown }).auth),
      [
        { type: "apiKey", in: "header", name: "X-Key", value: "hunter2" },
        { type: "basic", username: "me", password: "hunter2" },
      ],
    );
    writeFileSync(join(folder, "empty"), "\n");
    const { code, err } = await zaguan("import", pets, "--bearer", `@${join(folder, "empty")}`);
    assert.deepEqual([code, err], [2, "zaguan import: the credentials are empty\n"]);
  });

  test("takes the document or a secret from stdin, but not both", async () => {
    assert.deepEqual((await fed(DOCUMENT, "import", "-")).code, 0);
    assert.deepEqual(hub.asked.at(-1)?.body, { document: DOCUMENT });
    assert.deepEqual((await fed("hunter2\n", "import", pets, "--bearer", "@-")).code, 0);
    assert.deepEqual(hub.asked.at(-1)?.body, { document: DOCUMENT, auth: { type: "bearer", token: "hunter2" } });
    const { code, err } = await fed(DOCUMENT, "import", "-", "--bearer", "@-");
    assert.match(err, /- and --bearer @- cannot be combined/);
    assert.equal(code, 2);
  });

  test("warns of secrets that others can see", async () => {
    const { err } = await zaguan("import", pets, "--api-key", "query:key=hunter2", "--header", "X-Token: hunter2");
    assert.match(err, /others on this machine can see --api-key/);
    assert.match(err, /others on this machine can see the header X-Token/);
    assert.doesNotMatch(err, /hunter2/);
  });

  test("prints what the hub said as JSON", async () => {
    assert.deepEqual(JSON.parse((await zaguan("import", pets, "--json")).out), API);
  });

  test("tells a refusal in the hub's words, and what to do about a name that is taken", async () => {
    hub.answers["POST /admin/apis"] = [400, problem("INVALID_PARAMS", "paths./x: is no object")];
    const refused = await zaguan("import", pets);
    assert.deepEqual([refused.code, refused.out, refused.err], [1, "", "zaguan: paths./x: is no object\n"]);
    hub.answers["POST /admin/apis"] = [409, problem("NAME_TAKEN", "There is an API 'pets' already")];
    const taken = await zaguan("import", pets);
    assert.match(taken.err, /^zaguan: There is an API 'pets' already; --refresh reads .*--name/);
    assert.equal(taken.code, 1);
  });

  test("refuses more than a hub reads before it sends any of it", async () => {
    const large = join(folder, "large.yaml");
    writeFileSync(large, `${DOCUMENT}# ${"x".repeat(16_000_000)}`);
    const { code, err } = await zaguan("import", large);
    assert.deepEqual([code, err], [1, "zaguan: large.yaml: is larger than 16000000 bytes\n"]);
    assert.deepEqual(hub.asked, []);
  });
});

describe("a look at an OpenAPI document", () => {
  test("is a table of what would become tools, and imports nothing", async () => {
    const { code, out, err } = await zaguan("import", pets, "--preview", "--tag", "pet");
    assert.equal(code, 0, err);
    assert.deepEqual(hub.asked, [{ what: "POST /admin/apis/preview", body: { document: DOCUMENT, tags: ["pet"] } }]);
    assert.equal(out, "METHOD  PATH   TOOL\nGET     /pets  listPets\nPOST    /pets  addPet\n");
    assert.match(err, /^Skipped GET \/odd: /);
    assert.match(err, /'Pets' would be called pets; tools: 2\. Nothing was imported\.\n/);
    assert.match(err, /give --base-url\.\n/);
    assert.match(err, /--tag: pet, store\n/);
    assert.match(err, /--bearer, --api-key, --basic\): key \(apiKey\)\n/);
  });

  test("is the hub's own words as JSON", async () => {
    assert.deepEqual(JSON.parse((await zaguan("import", pets, "--preview", "--json")).out), PREVIEW);
  });
});

describe("reading an API's document again", () => {
  test("shows what changed", async () => {
    const { code, out, err } = await zaguan("import", pets, "--refresh", "--name", "pets");
    assert.equal(code, 0, err);
    assert.deepEqual(hub.asked, [
      { what: "GET /admin/apis/pets", body: null },
      { what: "POST /admin/apis/pets/refresh", body: { document: DOCUMENT } },
    ]);
    assert.equal(out, "CHANGE   TOOL     WHAT\nadded    feedPet\nremoved  sellPet\nchanged  addPet   path, body\n");
    assert.equal(err, "Refreshed pets: 1 added, 1 removed, 1 changed.\n");
  });

  test("finds an API by the address that it came from, and lets the hub fetch it", async () => {
    const { code, out } = await zaguan("import", ADDRESS, "--refresh", "--json");
    assert.equal(code, 0);
    assert.deepEqual(
      hub.asked.map(({ what, body }) => [what, body]),
      [
        ["GET /admin/apis", null],
        ["POST /admin/apis/pets/refresh", {}],
      ],
    );
    assert.deepEqual(JSON.parse(out), REFRESHED);
  });

  test("only looks, if that is asked for", async () => {
    const { err } = await zaguan("import", pets, "--refresh", "--preview", "--name", "pets");
    assert.deepEqual(hub.asked.at(-1)?.body, { document: DOCUMENT, dryRun: true });
    assert.match(err, /would bring: 1 added.*Nothing was done/);
    const { code } = await zaguan("import", pets, "--refresh", "--preview", "--name", "pets", "--tag", "x");
    assert.equal(code, 2);
  });

  test("changes what else is said of the API first", async () => {
    await zaguan("import", pets, "--refresh", "--name", "pets", "--tag", "pet", "--bearer", "t");
    assert.deepEqual(hub.asked.slice(1), [
      { what: "PATCH /admin/apis/pets", body: { tags: ["pet"], auth: { type: "bearer", token: "t" } } },
      { what: "POST /admin/apis/pets/refresh", body: { document: DOCUMENT } },
    ]);
  });

  test("imports what is not there yet", async () => {
    const { out } = await zaguan("import", pets, "--refresh", "--name", "zoo");
    assert.deepEqual(
      hub.asked.map(({ what }) => what),
      ["GET /admin/apis/zoo", "POST /admin/apis"],
    );
    assert.match(out, /^Imported/);
    hub.answers["GET /admin/apis"] = [200, []];
    await zaguan("import", ADDRESS, "--refresh");
    assert.equal(hub.asked.at(-1)?.what, "POST /admin/apis");
  });

  test("wants to know which one is meant", async () => {
    const unnamed = await zaguan("import", pets, "--refresh");
    assert.deepEqual([unnamed.code, hub.asked], [2, []]);
    assert.match(unnamed.err, /say with --name which API/);
    hub.answers["GET /admin/apis"] = [200, [API, { ...API, name: "zoo" }]];
    const several = await zaguan("import", ADDRESS, "--refresh");
    assert.equal(
      several.err,
      "zaguan: several APIs came from https://pets.example/openapi.json: pets, zoo; say with --name which one is meant\n",
    );
    hub.answers["GET /admin/apis/pets"] = [200, { ...API, url: null }];
    const other = await zaguan("import", ADDRESS, "--refresh", "--name", "pets");
    assert.match(other.err, /pets did not come from this URL/);
    assert.equal(hub.asked.at(-1)?.what, "GET /admin/apis/pets");
  });
});

describe("importing what HandsAI exported", () => {
  const file = join(folder, "handsai.json");
  before(() => writeFileSync(file, JSON.stringify(PROVIDERS)));
  beforeEach(() => {
    const taken = PROVIDERS.map((provider) => ({ ...provider, apiKeyValue: null }));
    hub.answers["POST /api/import/providers"] = [200, taken];
  });

  test("sends the providers, and says which of them lack a key", async () => {
    const { code, out, err } = await zaguan("import", file);
    assert.equal(code, 0, err);
    assert.deepEqual(hub.asked, [{ what: "POST /api/import/providers", body: PROVIDERS }]);
    assert.equal(out, "Imported from HandsAI: weather, time; tools: 3.\n");
    assert.match(err, /^Imported without keys: [^\n]+: weather\n$/);
  });

  test("says nothing of keys that are there, and prints JSON", async () => {
    const taken = PROVIDERS.map((provider) => ({ ...provider, apiKeyValue: "<YOUR_API_KEY>" }));
    hub.answers["POST /api/import/providers"] = [200, taken];
    const { out, err } = await zaguan("import", file, "--json");
    assert.deepEqual([JSON.parse(out), err], [taken, ""]);
  });

  test("has no use for what is said of documents, and neither has another client's file", async () => {
    const servers = join(folder, "mcp.json");
    writeFileSync(servers, '{"mcpServers":{"a":{"command":"x"}}}');
    for (const [source, option] of [
      [file, ["--preview"]],
      [file, ["--bearer", "t"]],
      [servers, ["--tag", "x"]],
    ] as const) {
      const { code, err } = await zaguan("import", source, ...option);
      assert.match(err, new RegExp(`^zaguan import: ${option[0]} is for OpenAPI documents`));
      assert.equal(code, 2);
    }
    assert.deepEqual(hub.asked, []);
  });
});

function problem(code: string, detail: string): object {
  return { type: "about:blank", title: code, detail, code };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of request.setEncoding("utf8")) chunks.push(String(chunk));
  return chunks.join("");
}
