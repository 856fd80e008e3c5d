/** What went wrong is told in the reader's language to its end, and a wrong key is told to be wrong, at every door. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { RegistryClient } from "../support/registry-client.ts";
import { refusal } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

let hub: SpawnedZaguan;
before(async () => {
  const broken = { command: "zaguan-no-such-program", zaguan: { readySeconds: 5 } };
  hub = await spawnZaguan({ config: { mcpServers: { broken } } });
});
after(() => hub?.stop());

describe("an error", () => {
  for (const [language, unavailable, request, missing] of [
    [
      "es",
      /^El servidor 'broken' no está disponible: (?:sigue fallando: )?no se encuentra el comando: zaguan-no-such-program$/,
      "Mensaje inválido: method debe ser un texto",
      "No existe: servidor 'nadie'",
    ],
    [
      "fr",
      /^Le serveur 'broken' est indisponible\u00a0: (?:échecs répétés\u00a0: )?commande introuvable\u00a0: zaguan-no-such-program$/,
      "Requête invalide\u00a0: method doit être un texte",
      "Introuvable\u00a0: serveur «\u00a0nadie\u00a0»",
    ],
    [
      "zh",
      /^服务器 'broken' 不可用：(?:持续失败：)?找不到命令：zaguan-no-such-program$/,
      "无效的请求：method 必须是字符串",
      "不存在：服务器 “nadie”",
    ],
  ] as const) {
    it(`has no English tail in ${language}`, async () => {
      const client = new RegistryClient(hub.url, { "accept-language": language });
      const { body } = await client.rpc("/servers/broken/mcp", "prompts/list");
      assert.match(body.error.message, unavailable);
      const wrong = await client.post("/mcp", { jsonrpc: "2.0", id: 1, method: 7 });
      assert.equal(wrong.body.error.message, request);
      assert.equal((await client.get("/mcp/servers/nadie")).body.detail, missing);
    });
  }
});

describe("a wrong key", () => {
  const KEY = { authorization: `Bearer zgn_${"x".repeat(43)}` };
  const TEXTS = {
    en: "This key is not known",
    es: "Esta clave no se conoce",
    fr: "Cette clé est inconnue",
    zh: "此密钥无法识别",
  } as const;
  const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

  for (const [language, text] of Object.entries(TEXTS)) {
    it(`is told to be unknown at every door, with 401: ${language}`, async () => {
      const headers = { ...KEY, "accept-language": language };
      const client = new RegistryClient(hub.url, headers);
      const answers = [
        await client.post("/mcp", LIST),
        await client.post("/mcp", LIST, { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }),
        await client.post("/", LIST),
        await client.post("/servers/broken/mcp", LIST),
        await client.post("/mcp/tools/list", LIST),
        await client.post("/mcp/tools/call", LIST, { "x-session-id": "none" }),
        await client.get("/api/tools/discover"),
        await client.get("/mcp/servers"),
        await client.get("/sse"),
        await client.get("/events"),
        await refusal(`${hub.url}/mcp`, headers),
      ];
      for (const [at, { status, text: told }] of answers.entries()) {
        assert.equal(status, 401, `${at}: ${told}`);
        assert.ok(told.includes(text), `${at}: ${told}`);
      }
    });
  }

  it("is not told of where none came", async () => {
    const { status, text } = await new RegistryClient(hub.url, { authorization: "Bearer" }).get("/mcp/servers");
    assert.equal(status, 401);
    assert.match(text, /An API key is needed/);
  });
});
