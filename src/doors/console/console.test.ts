/** The console's door over a real port: the page and its policy, every file that it is made of, and nothing else. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { globSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { posix, sep } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import { ZaguanError } from "../../errors.ts";
import { LANGUAGES } from "../../messages/catalogue.ts";
import { consolePage } from "./index.ts";

const SOURCES = fileURLToPath(new URL("../../console/", import.meta.url));
const FILES = globSync("**/*.{ts,css,svg}", { cwd: SOURCES })
  .map((file) => file.split(sep).join("/"))
  .filter((file) => !file.endsWith(".test.ts"));

let doors: OpenDoors;
before(async () => {
  // Nobody has a key: what is answered is answered to everybody.
  const authenticate = () => Promise.reject(new ZaguanError("UNAUTHORIZED"));
  doors = await openDoors([consolePage], { authenticate });
});
after(() => doors.close());

async function bytesOf(path: string, headers: Record<string, string> = {}) {
  const response = await doors.begin(path, { headers });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

describe("GET /", () => {
  it("is a page for everybody, with or without a key", async () => {
    const { status, headers } = await doors.ask("/");
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
  });

  for (const language of LANGUAGES) {
    it(`speaks ${language}, and tells caches that it depends on that`, async () => {
      const { text, headers } = await doors.ask("/", { headers: { "accept-language": language } });
      assert.ok(text.includes(`<html lang="${language}">`));
      assert.equal(headers["vary"], "accept-language");
    });
  }

  it("tells which languages it can be read in, each by its own name", async () => {
    const { text } = await doors.ask("/");
    const names = /<meta name="languages" content="([^"]*)">/.exec(text)?.[1]?.replaceAll("&quot;", '"') ?? "{}";
    const told = JSON.parse(names) as Record<string, string>;
    assert.deepEqual(Object.keys(told), LANGUAGES);
    assert.equal(told["es"], "Español");
  });

  it("runs and loads what comes from here, sends to nobody else, and cannot be framed", async () => {
    const { headers } = await doors.ask("/");
    const policy = new Map(
      String(headers["content-security-policy"])
        .split(/; */)
        .map((rule) => [rule.split(" ")[0] ?? "", rule.split(" ").slice(1)]),
    );
    assert.deepEqual(policy.get("default-src"), ["'none'"]);
    for (const own of ["style-src", "connect-src"]) assert.deepEqual(policy.get(own), ["'self'"], own);
    for (const none of ["frame-ancestors", "base-uri", "form-action"]) assert.deepEqual(policy.get(none), ["'none'"]);
    const allowed = [...policy.values()]
      .flat()
      .filter((word) => !/^('none'|'self'|data:|blob:|'sha256-.*')$/.test(word));
    assert.deepEqual(allowed, []);
    assert.deepEqual(
      [headers["referrer-policy"], headers["cross-origin-opener-policy"]],
      ["no-referrer", "same-origin"],
    );
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
  });

  it("has nothing in line but the map of imports, which the policy names by its hash", async () => {
    const { text, headers } = await doors.ask("/");
    const inline = [...text.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)].filter(([, , body]) => body !== "");
    assert.equal(inline.length, 1);
    const hash = createHash("sha256")
      .update(inline[0]?.[2] ?? "")
      .digest("base64");
    assert.ok(String(headers["content-security-policy"]).includes(`'sha256-${hash}'`));
    assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|https?:/);
  });

  it("names its parts relative to itself, so that they are found behind a proxy's path", async () => {
    const { text } = await doors.ask("/");
    const places = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, place]) => place ?? "");
    assert.ok(places.length >= 4);
    assert.deepEqual(
      places.filter((place) => place.startsWith("/")),
      [],
    );
  });
});

describe("its files", () => {
  it("are all there, each as what it is", async () => {
    const types = {
      ".ts": "text/javascript",
      ".css": "text/css; charset=utf-8",
      ".svg": "image/svg+xml",
    };
    assert.ok(FILES.includes("main.ts") && FILES.includes("styles/base.css") && FILES.includes("pages/house/index.ts"));
    for (const file of FILES) {
      const { status, headers } = await doors.ask(`/console/${file}`);
      assert.equal(status, 200, file);
      assert.equal(headers["content-type"], types[posix.extname(file) as keyof typeof types], file);
      assert.equal(headers["x-content-type-options"], "nosniff");
    }
  });

  it("are found from the page on, whatever one imports of another", async () => {
    const { text } = await doors.ask("/");
    const { imports } = JSON.parse(/importmap">([^<]*)</.exec(text)?.[1] ?? "{}") as {
      imports: Record<string, string>;
    };
    const found = new Set<string>();
    const visit = async (place: string): Promise<void> => {
      if (found.has(place)) return;
      found.add(place);
      const { status, text: code } = await doors.ask(place);
      assert.equal(status, 200, place);
      const wanted = [
        ...code.matchAll(/(?:^import\s[^;"'`]*?|^export\s[^;"'`]*?from\s*|\bimport\()["']([^"']+)["']/gm),
      ];
      for (const [, name = ""] of wanted) {
        const mapped = imports[name]?.replace(/^\./, "");
        assert.ok(mapped ?? name.startsWith("."), `${place} imports ${name}, which a browser cannot find`);
        await visit(mapped ?? posix.join(posix.dirname(place), name));
      }
    };
    await visit("/console/main.ts");
    await visit("/console/early.ts");
    const modules = FILES.filter((file) => file.endsWith(".ts")).map((file) => `/console/${file}`);
    const unused: string[] = [];
    for (const module of modules.filter((module) => !found.has(module))) {
      // Of one that has types alone nothing is left, and nobody loads it.
      if (/^export\b/m.test((await doors.ask(module)).text)) unused.push(module);
    }
    assert.deepEqual(unused, [], "files that no page uses");
    assert.ok(found.has("/console/vendor/preact.mjs") && found.has("/console/vendor/hooks.mjs"));
  });

  it("are stripped of their types", async () => {
    const { text } = await doors.ask("/console/kit/store.ts");
    assert.match(text, /export class Store/);
    assert.doesNotMatch(text, /Store<Value>|import type|readonly/);
  });

  it("come compressed to those who can read it", async () => {
    const plain = await bytesOf("/console/styles/base.css");
    const packed = await bytesOf("/console/styles/base.css", { "accept-encoding": "br, gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.equal(Number(packed.headers["content-length"]), packed.body.length);
    assert.equal(packed.headers["vary"], "accept-encoding");
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.deepEqual(gunzipSync(packed.body), plain.body);
    assert.equal(plain.body.toString(), readFileSync(`${SOURCES}styles/base.css`, "utf8"));
  });

  it("are not sent again to who has them", async () => {
    const { headers } = await doors.ask("/console/styles/base.css");
    const again = await doors.ask("/console/styles/base.css", {
      headers: { "if-none-match": String(headers["etag"]) },
    });
    assert.deepEqual([again.status, again.text], [304, ""]);
    const other = await doors.ask("/console/styles/base.css", { headers: { "if-none-match": '"old"' } });
    assert.equal(other.status, 200);
  });

  it("are known again by a tag that a proxy made weak, or among others", async () => {
    const { headers } = await doors.ask("/console/styles/base.css");
    const tag = String(headers["etag"]);
    for (const said of [`W/${tag}`, `"old", ${tag}`, `W/"old",W/${tag}`, "*"]) {
      const again = await bytesOf("/console/styles/base.css", { "if-none-match": said, "accept-encoding": "gzip" });
      assert.deepEqual([again.status, again.body.length, again.headers["etag"]], [304, 0, tag], said);
      // A cache would take them for those of what it has.
      assert.deepEqual([again.headers["content-encoding"], again.headers["content-length"]], [undefined, undefined]);
    }
  });

  it("come as they are to who says that it cannot unpack them", async () => {
    for (const [accepted, encoding] of [
      ["gzip;q=0", undefined],
      ["br, gzip; q=0.0, identity", undefined],
      ["x-gzip-like", undefined],
      ["identity", undefined],
      ["GZIP", "gzip"],
      ["br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip"],
    ] as const) {
      const { headers } = await bytesOf("/console/styles/base.css", { "accept-encoding": accepted });
      assert.equal(headers["content-encoding"], encoding, accepted);
    }
  });

  it("are told of without being sent", async () => {
    const head = await doors.ask("/console/styles/base.css", { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""]);
    assert.ok(Number(head.headers["content-length"]) > 1_000);
  });

  const OTHERS = [
    "nothing.ts",
    "kit/nothing.ts",
    "kit/sse.test.ts",
    "tsconfig.json",
    "kit",
    "kit/",
    "vendor/nothing.mjs",
    "../errors.ts",
    "..%2ferrors.ts",
    "%2e%2e/errors.ts",
    "kit/..%2f..%2ferrors.ts",
    "kit/%2e%2e/app.ts",
    "//app.ts",
    "KIT/sse.ts",
    "app.ts%00",
    "app.ts.",
    "vendor/__proto__",
    "vendor/constructor",
    "words/de.json",
    "words/../app.ts",
    "words/__proto__.json",
    "words/en.json/x",
    "a/b/c/d.ts",
  ];
  for (const path of OTHERS) {
    // Where not even a place of ours is, nobody without a key learns that.
    it(`are nothing else: ${path}`, async () => {
      const { status } = await doors.ask(`/console/${path}`);
      assert.ok(status === 404 || status === 401, `${status}`);
    });
  }
});

describe("what the page shares with the hub", () => {
  it("is found where its files import it from, and nothing else of the hub is", async () => {
    assert.match((await doors.ask("/contract/rules.ts")).text, /export function isObject\(value\s*\)/);
    for (const path of ["operations.ts", "rules.test.ts", "nothing.ts", "..%2ferrors.ts", "%2e%2e", "constructor"]) {
      const { status } = await doors.ask(`/contract/${path}`);
      assert.ok(status === 404 || status === 401, `${path}: ${status}`);
    }
  });
});

describe("its texts", () => {
  it("are the same in each language, none empty", async () => {
    const all = await Promise.all(
      LANGUAGES.map(
        async (language) => (await doors.ask(`/console/words/${language}.json`)).json as Record<string, string>,
      ),
    );
    const keys = Object.keys(all[0] ?? {});
    assert.ok(keys.length > 20);
    for (const words of all) {
      assert.deepEqual(Object.keys(words), keys);
      assert.deepEqual(
        Object.entries(words).filter(([, text]) => text.trim() === ""),
        [],
      );
    }
  });
});

describe("a file of the console that nobody reads", () => {
  it("counts as unread, as every answer does", async () => {
    const caller = connect(doors.port, "127.0.0.1").pause();
    let waiting = 0;
    const answered = () => waiting--;
    subscribe("http.server.response.finish", answered);
    await until("the system takes no more", () => {
      // Only when the last ones have left: more than a hundred that wait end the connection.
      for (; waiting < 10; waiting++)
        caller.write("GET /console/vendor/preact.mjs HTTP/1.1\r\nhost: localhost\r\n\r\n");
      return doors.unreadBytes() > 0;
    });
    unsubscribe("http.server.response.finish", answered);
    caller.destroy();
    await until("nothing is left of it", () => doors.unreadBytes() === 0);
  });
});
