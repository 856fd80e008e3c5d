/**
 * The files of docs/behind-a-proxy.md with the real programs, as far as they are installed (Debian: nginx-light, caddy,
 * haproxy; openssl for a certificate). Only ports, paths and the certificate are put in the place of those in the document.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { blockIn, jsonIn } from "../support/document-commands.ts";
import { freePort } from "../support/mqtt/mosquitto.ts";
import { until } from "../support/processes.ts";
import { nginxArguments, PROGRAM_PATH, programPath } from "../support/proxy-programs.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { makeKey } from "../support/seed-003.ts";
import { openSocket, refusal } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const GUIDE = fileURLToPath(new URL("../../docs/behind-a-proxy.md", import.meta.url));
const NAME = "hub.example.org";
/** Self-signed, for this test alone. */
const TLS = { rejectUnauthorized: false, servername: NAME };

interface Place {
  readonly folder: string;
  readonly hub: SpawnedZaguan;
  readonly port: number;
}

interface Proxy {
  readonly program: string;
  /** Writes its files; gives back the words by which it runs in the foreground. */
  prepare(place: Place): string[];
}

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: "nginx",
    prepare: (place) =>
      nginxArguments(place.folder, filled(blockIn(GUIDE, "nginx", "proxy_pass"), place, `listen 443 ssl`)),
  },
  Caddy: {
    program: "caddy",
    prepare: (place) => {
      const { folder, port } = place;
      const site = blockIn(GUIDE, "caddy", "reverse_proxy")
        .replace(`${NAME} {`, `https://${NAME}:${port} {\n  tls ${folder}/cert.pem ${folder}/key.pem`)
        .replace("127.0.0.1:3003", new URL(place.hub.url).host);
      writeFileSync(
        join(folder, "Caddyfile"),
        `{\n  admin off\n  auto_https off\n  storage file_system ${folder}\n}\n${site}`,
      );
      return ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
    },
  },
  HAProxy: {
    program: "haproxy",
    prepare: (place) => {
      const { folder } = place;
      const both = readFileSync(join(folder, "cert.pem"), "utf8") + readFileSync(join(folder, "key.pem"), "utf8");
      writeFileSync(join(folder, "both.pem"), both);
      writeFileSync(join(folder, "haproxy.cfg"), filled(blockIn(GUIDE, "haproxy", "backend"), place, "bind :443 ssl"));
      return ["-db", "-f", join(folder, "haproxy.cfg")];
    },
  },
};

/** The document's file with this place's port, paths and hub. */
function filled(text: string, { folder, hub, port }: Place, listen: string): string {
  return text
    .replace(listen, listen.replace(":443", `127.0.0.1:${port}`).replace(" 443", ` 127.0.0.1:${port}`))
    .replace("/etc/ssl/hub.example.org.both.pem", join(folder, "both.pem"))
    .replace("/etc/ssl/hub.example.org.pem", join(folder, "cert.pem"))
    .replace("/etc/ssl/hub.example.org.key", join(folder, "key.pem"))
    .replace("127.0.0.1:3003", new URL(hub.url).host);
}

function isMissing(program: string): string | false {
  return programPath(program) === undefined && `${program} is not installed`;
}

function head(port: number, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port, path, headers: { host: NAME, ...headers }, ...TLS, agent: false };
    request(to, resolve).on("error", reject).end();
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  return Buffer.concat(await answer.toArray()).toString();
}

async function started(proxy: Proxy, place: Place): Promise<ChildProcess> {
  let said = "";
  const child = spawn(proxy.program, proxy.prepare(place), {
    env: { ...process.env, PATH: PROGRAM_PATH, HOME: place.folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  let isUp = false;
  const look = async (): Promise<void> => {
    while (!isUp && child.exitCode === null)
      isUp = await answers(place.port).catch(() => new Promise((resolve) => setTimeout(resolve, 50, false)));
  };
  void look();
  await until(`${proxy.program} answers`, () => isUp || child.exitCode !== null);
  assert.ok(isUp, said);
  return child;
}

/** Something listens there. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    plainRequest({ host: "127.0.0.1", port, agent: false }, (answer) => resolve(Boolean(answer.resume())))
      .on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNREFUSED" ? reject(error) : resolve(true)))
      .end();
  });
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

function folderWithCertificate(): string {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-proxy-"));
  const subject = ["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`];
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], {
    stdio: "ignore",
  });
  return folder;
}

for (const [name, proxy] of Object.entries(PROXIES)) {
  describe(`${name} in front of the hub`, { skip: isMissing(proxy.program) || isMissing("openssl") }, () => {
    let place: Place;
    let child: ChildProcess;
    let key: { readonly authorization: string };
    before(async () => {
      const hub = await spawnZaguan({ config: jsonIn(GUIDE, "trustedProxies") });
      key = { authorization: `Bearer ${await makeKey(hub, "me", "--admin")}` };
      place = { folder: folderWithCertificate(), hub, port: await freePort() };
      child = await started(proxy, place);
    });
    after(async () => {
      await ended(child);
      await place?.hub.stop();
      rmSync(place.folder, { recursive: true, force: true });
    });

    it("lets nobody in without a key", async () => {
      for (const path of ["/keys", "/mcp/servers", "/sse"])
        assert.equal((await head(place.port, path)).statusCode, 401);
      assert.equal((await head(place.port, "/keys", { authorization: "Bearer wrong" })).statusCode, 401);
    });

    it("lets in whoever has one, and tells the hub by what address it was called", async () => {
      assert.equal((await head(place.port, "/keys", key)).statusCode, 200);
      const { servers } = JSON.parse(await textOf(await head(place.port, "/openapi.json", key)));
      assert.equal(servers[0].url, `https://${NAME}`);
    });

    it("passes an event stream on as it comes", async () => {
      const answer = await head(place.port, "/sse", { ...key, accept: "text/event-stream" });
      assert.equal(answer.statusCode, 200);
      const [first] = await new Promise<[Buffer]>((resolve) => answer.once("data", (chunk) => resolve([chunk])));
      assert.match(first.toString(), /event: endpoint/);
      answer.destroy();
    });

    it("passes WebSockets on, with a key and not without", async () => {
      const url = `https://127.0.0.1:${place.port}/ws`;
      const options = { ...TLS, headers: { host: NAME, ...key } };
      const socket = await openSocket(url, options);
      const { result } = await socket.ask({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      assert.ok(Array.isArray(result?.["tools"]));
      socket.socket.terminate();
      const { authorization: _, ...keyless } = options.headers;
      await assert.rejects(openSocket(url, { ...TLS, headers: keyless }), /401/);
    });

    it("leaves the commands on the hub's machine as they are", async () => {
      const { code, stderr } = await runZaguan(["tools", "--data", "data"], place.hub.folder);
      assert.equal(code, 0, stderr);
    });
  });
}

describe("nginx that says nothing of itself", { skip: isMissing("nginx") }, () => {
  const bare = ({ hub, port }: Place): string =>
    `server { listen 127.0.0.1:${port}; location / { proxy_pass ${hub.url}; } }`;

  for (const auth of [{ trustedProxies: ["127.0.0.1"] }, { requireKey: true }]) {
    it(`makes nobody the local user where the hub has ${JSON.stringify(auth)}`, async () => {
      const hub = await spawnZaguan({ config: { auth } });
      const place = { folder: mkdtempSync(join(tmpdir(), "zaguan-proxy-")), hub, port: await freePort() };
      const child = await started(
        { program: "nginx", prepare: (given) => nginxArguments(given.folder, bare(given)) },
        place,
      );
      try {
        assert.equal((await fetch(`http://127.0.0.1:${place.port}/keys`)).status, 401);
        assert.equal((await refusal(`${hub.url}/ws`)).status, 401);
      } finally {
        await ended(child);
        await hub.stop();
        rmSync(place.folder, { recursive: true, force: true });
      }
    });
  }
});
