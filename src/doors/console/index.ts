/**
 * `GET /`: the console, a page that uses the same API as everybody. Its files come from our own port and nothing else is
 * ever asked for; they are open to everybody, since they tell what every Zaguan looks like and nothing of this house.
 */
import { ZaguanError } from "../../errors.ts";
import { isLanguage } from "../../messages/catalogue.ts";
import type { DoorFactory, Exchange } from "../door.ts";
import { type Asset, assetAt } from "./assets.ts";
import { PAGE_POLICY, pageOf } from "./page.ts";

export const consolePage: DoorFactory = () => ({
  name: "console",
  routes: [
    { method: "GET", path: "/", public: true, handle: showPage },
    // Folders in folders, as deep as there are.
    ...["{a}", "{a}/{b}", "{a}/{b}/{c}"].map((path) => {
      return { method: "GET", path: `/console/${path}`, public: true, handle: showFile } as const;
    }),
  ],
});

function showPage(exchange: Exchange): void {
  exchange.reply(200, pageOf(exchange.language), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": PAGE_POLICY,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    vary: "accept-language",
  });
}

async function showFile(exchange: Exchange): Promise<void> {
  const { a, b, c } = exchange.names;
  const path = [a, b, c].filter((part) => part !== undefined).join("/");
  const asset = path.startsWith("words/") ? await wordsAt(path) : await assetAt(path);
  if (!asset) throw new ZaguanError("NOT_FOUND", { params: { path: `/console/${path}`.slice(0, 100) } });
  send(exchange, asset);
}

/** The texts of one language; loaded by the first who opens the page. */
async function wordsAt(path: string): Promise<Asset | undefined> {
  const language = path.slice("words/".length).replace(/\.json$/, "");
  if (!isLanguage(language)) return undefined;
  const { wordsAsset } = await import("./words.ts");
  return wordsAsset(language);
}

/** A browser keeps what it has for as long as the tag is the same; what fits its ears comes compressed. */
function send(exchange: Exchange, { tag, type, plain, packed }: Asset): void {
  const { request, response } = exchange;
  const isPacked = /\bgzip\b/.test(exchange.header("accept-encoding") ?? "");
  const body = isPacked ? packed : plain;
  const isKnown = exchange.header("if-none-match") === tag;
  response.writeHead(isKnown ? 304 : 200, {
    "content-type": type,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    etag: tag,
    vary: "accept-encoding",
    ...(!isKnown && { "content-length": body.length }),
    ...(isPacked && { "content-encoding": "gzip" }),
  });
  response.end(isKnown || request.method === "HEAD" ? undefined : body);
}
