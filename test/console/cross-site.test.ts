/**
 * A page of another origin, open in the same browser on the same machine, can neither read the hub, nor call anything, nor
 * put the console into a frame, whatever it tries.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import type { Context, Page } from "./support/playwright.ts";
import { sharedBrowser } from "./support/setting.ts";

const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "set_light_state", arguments: { name: "salon", on: true } },
});

let hub: SpawnedZaguan;
let client: RegistryClient;
let site: Server;
let context: Context;
let page: Page;

before(async () => {
  hub = await spawnZaguan();
  client = new RegistryClient(hub.url);
  site = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>elsewhere</title>");
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  context = await (await sharedBrowser()).newContext();
  page = await context.newPage();
  // By another name: another site to the browser, not only another port.
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
});
after(async () => {
  await context?.close();
  site?.close();
  await hub?.stop();
});

/** What became of an attempt: what it got, or "refused". */
function attempt(script: string, at: string = hub.url): Promise<unknown> {
  return page.evaluate(`(async () => {
    const hub = ${JSON.stringify(at)};
    const call = ${JSON.stringify(CALL)};
    try { return await (async () => { ${script} })(); } catch { return "refused"; }
  })()`);
}

async function nothingHappened(): Promise<void> {
  const states = JSON.parse(await client.textOf("/mcp", "get_all_states", {})) as { lights: Record<string, boolean> };
  assert.deepEqual(
    Object.entries(states.lights).filter(([, isOn]) => isOn),
    [],
  );
  const calls = (await client.get("/calls")).body as readonly { readonly tool: string }[];
  assert.deepEqual(
    calls.filter(({ tool }) => tool !== "get_all_states"),
    [],
  );
}

test("the browser itself would let it: a server that takes everybody in is read, called and framed", async () => {
  const told: string[] = [];
  const lax = createServer(async (request, response) => {
    for await (const chunk of request.setEncoding("utf8")) told.push(chunk);
    const headers = { "access-control-allow-origin": "*", "content-type": "text/html" };
    response.writeHead(200, headers).end("<title>lax</title>");
  });
  lax.listen(0, "127.0.0.1");
  await once(lax, "listening");
  const url = `http://127.0.0.1:${(lax.address() as AddressInfo).port}`;
  assert.equal(await attempt("return (await fetch(hub)).text()", url), "<title>lax</title>");
  await attempt(`await fetch(hub, { method: "POST", mode: "no-cors", body: call })`, url);
  assert.deepEqual(told, [CALL]);
  await putInFrame(url);
  // A frame of another site is another process to the browser, and told of a moment later.
  await until("it is framed", async () => (await titleIn(url).catch(() => undefined)) === "lax");
  lax.close();
  lax.closeAllConnections();
});

/** The title of what comes into a frame, if anything does. */
async function frameOf(url: string): Promise<string | undefined> {
  await putInFrame(url);
  return titleIn(url);
}

async function putInFrame(url: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.onload = resolve;
    frame.src = ${JSON.stringify(url)};
    document.body.append(frame);
  })`);
}

async function titleIn(url: string): Promise<string | undefined> {
  const framed = page.frames().find((frame) => frame.url().startsWith(url));
  return framed?.evaluate<string>("document.title");
}

describe("a page of another origin reads nothing", () => {
  for (const path of [
    "/",
    "/calls",
    "/figures",
    "/mcp/servers",
    "/health",
    "/openapi.json",
    "/console/words/en.json",
  ]) {
    test(`of ${path}`, async () => {
      assert.equal(await attempt(`return (await fetch(hub + "${path}")).text()`), "refused");
      const opaque = await attempt(`const answer = await fetch(hub + "${path}", { mode: "no-cors" });
        return [answer.type, (await answer.text()).length]`);
      assert.ok(opaque === "refused" || String(opaque) === "opaque,0", String(opaque));
    });
  }

  test("of the stream of events", async () => {
    const heard = await attempt(`return new Promise((resolve) => {
      const source = new EventSource(hub + "/events");
      source.addEventListener("hello", () => resolve("hello"));
      source.onerror = () => { source.close(); resolve("refused"); };
    })`);
    assert.equal(heard, "refused");
  });

  test("through a WebSocket", async () => {
    const opened = await attempt(`return new Promise((resolve) => {
      const socket = new WebSocket(hub.replace("http", "ws") + "/mcp");
      socket.onopen = () => { socket.send(call); resolve("open"); };
      socket.onerror = () => resolve("refused");
    })`);
    assert.equal(opened, "refused");
    await nothingHappened();
  });

  test("of the page's own scripts, styles and pictures", async () => {
    for (const [element, place] of [
      ["script", "/console/main.ts"],
      ["img", "/console/icon.svg"],
      ["link", "/console/styles/base.css"],
    ]) {
      const loaded = await attempt(`return new Promise((resolve) => {
        const element = document.createElement("${element}");
        Object.assign(element, { type: "${element === "script" ? "module" : ""}", rel: "stylesheet" });
        element.onload = () => resolve("loaded");
        element.onerror = () => resolve("refused");
        element["${element === "link" ? "href" : "src"}"] = hub + "${place}";
        document.head.append(element);
      })`);
      assert.equal(loaded, "refused", place);
    }
  });
});

describe("a page of another origin calls nothing", () => {
  const types = ["text/plain", "application/x-www-form-urlencoded", "application/json"];
  for (const type of types) {
    for (const mode of ["cors", "no-cors"]) {
      test(`by fetch, ${mode}, as ${type}`, async () => {
        await attempt(`return (await fetch(hub + "/mcp", { method: "POST", mode: "${mode}", body: call,
          headers: { "content-type": "${type}" } })).status`);
        await nothingHappened();
      });
    }
  }

  test("by a form that a user is made to send", async () => {
    const victim = await context.newPage();
    await victim.goto(page.url());
    await victim.evaluate(`(() => {
      const form = document.createElement("form");
      Object.assign(form, { method: "POST", enctype: "text/plain", action: ${JSON.stringify(`${hub.url}/mcp`)} });
      const field = document.createElement("input");
      const call = ${JSON.stringify(CALL)};
      field.name = call.slice(0, -1) + ',"x":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      // Later, since the page in which this runs goes with it.
      setTimeout(() => form.submit());
    })()`);
    await until("the browser has sent it", () => victim.url().startsWith(hub.url));
    await nothingHappened();
    await victim.close();
  });

  test("by a beacon", async () => {
    await attempt(`return navigator.sendBeacon(hub + "/mcp", new Blob([call], { type: "text/plain" }))`);
    await page.waitForTimeout(300);
    await nothingHappened();
  });

  test("by ending what others called", async () => {
    await attempt(`return (await fetch(hub + "/calls/1", { method: "DELETE" })).status`);
    await attempt(`return (await fetch(hub + "/mcp/servers/house", { method: "DELETE" })).status`);
    assert.ok((await client.names("/mcp")).includes("set_light_state"));
  });
});

describe("a page of another origin holds no console", () => {
  test("in a frame", async () => {
    assert.equal(await frameOf(hub.url), undefined);
  });

  test("in a window that it opened", async () => {
    const seen = await attempt(`const opened = window.open(hub);
      // Until the hub's page is there, its window is an empty one that belongs to its opener.
      while (opened !== null && !opened.closed && opened.document.URL === "about:blank")
        await new Promise((resolve) => setTimeout(resolve, 50));
      return opened === null || opened.closed ? "refused" : opened.document.title`);
    assert.equal(seen, "refused");
  });
});
