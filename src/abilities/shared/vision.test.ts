import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { TINY_JPEG } from "../../../test/support/abilities/pictures.ts";
import { Vision, type VisionSettings } from "./vision.ts";

const picture = { bytes: TINY_JPEG, mimeType: "image/jpeg" } as const;
const call = { language: "en", signal: new AbortController().signal } as const;

interface Asked {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

describe("the vision service", () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  it("gets the question and then the file, with the token and the device's names", async () => {
    const { url, asked } = await service(200, { success: true, action: "RESPONSE", response: "一只猫" });
    const contents = await explain({ url, token: "t", deviceId: "aa:bb", clientId: "c-1" });
    assert.deepEqual(contents[0], { type: "text", text: "一只猫" });
    assert.deepEqual(contents[1], { type: "image", data: TINY_JPEG.toString("base64"), mimeType: "image/jpeg" });
    const { request, body } = asked[0] as Asked;
    const { authorization, "device-id": device, "client-id": client } = request.headers;
    assert.deepEqual([request.method, authorization, device, client], ["POST", "Bearer t", "aa:bb", "c-1"]);
    const form = await new Response(new Uint8Array(body), {
      headers: { "content-type": request.headers["content-type"] ?? "" },
    }).formData();
    assert.deepEqual([...form.keys()], ["question", "file"]);
    assert.equal(form.get("question"), "is it 猫?");
    const file = form.get("file") as File;
    assert.deepEqual([file.name, file.type], ["camera.jpg", "image/jpeg"]);
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), TINY_JPEG);
  });

  const refusals: readonly (readonly [string, number, unknown, string])[] = [
    ["refuses", 200, { success: false, message: "no credit" }, "The picture could not be explained: no credit"],
    ["does not know the token", 401, {}, "The picture could not be explained: HTTP 401"],
  ];
  for (const [what, status, answer, text] of refusals) {
    it(`${what}: the picture is there all the same, and the reason beside it`, async () => {
      const { url } = await service(status, answer);
      const contents = await explain({ url, token: "t" });
      assert.deepEqual(contents[0], { type: "text", text });
      assert.equal(contents[1]?.type, "image");
    });
  }

  it("is not there: so is that told", async () => {
    const [text, image] = await explain({ url: "http://127.0.0.1:1/explain" });
    assert.match(text?.type === "text" ? text.text : "", /^The picture could not be explained: ./);
    assert.equal(image?.type, "image");
  });

  async function explain(settings: VisionSettings): Promise<Awaited<ReturnType<Vision["contents"]>>> {
    const vision = new Vision(settings);
    return await vision.contents(picture, "is it 猫?", call).finally(() => vision.close());
  }

  async function service(status: number, answer: unknown): Promise<{ url: string; asked: Asked[] }> {
    const asked: Asked[] = [];
    const server = createServer(async (request, response) => {
      asked.push({ request, body: await buffer(request) });
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp/vision/explain`, asked };
  }
});
