/** The connection to a real NATS: who is let in, what is said to those who are not, and what happens when it goes away. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join as joinPath } from "node:path";
import { afterEach, describe, it } from "node:test";
import { nkeys } from "@nats-io/transport-node";
import { BusError } from "../../src/bus/bus-error.ts";
import type { NatsSettings } from "../../src/bus/dial.ts";
import type { BusOptions } from "../../src/bus/nats-bus.ts";
import { certificates, freePort } from "../support/mqtt/mosquitto.ts";
import { type NatsProcess, NO_NATS, openNode, startNats, startNatsCluster, type TestNode } from "../support/nats.ts";
import { openFiles, until } from "../support/processes.ts";

type Pair = ReturnType<typeof nkeys.createUser>;

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function start(setup: Parameters<typeof startNats>[0] = {}): Promise<NatsProcess> {
  const nats = await startNats(setup);
  cleanups.push(() => nats.stop());
  return nats;
}

async function join(settings: NatsSettings, node = "a", more: Partial<BusOptions> = {}): Promise<TestNode> {
  const joined = await openNode(settings.servers, node, { nats: settings, ...more });
  cleanups.push(() => joined.bus.close());
  return joined;
}

/** That two nodes with these settings hear each other. */
async function works(settings: NatsSettings): Promise<void> {
  const [a, b] = [await join(settings), await join(settings, "b")];
  a.bus.send({ node: "b" }, "hello");
  await until("it was heard", () => b.heard.length === 1);
}

async function refusal(settings: NatsSettings): Promise<string> {
  const error = await join(settings).then(
    () => assert.fail("was let in"),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof BusError, String(error));
  assert.doesNotMatch(error.message, /\n/);
  assert.doesNotMatch(`${error.message} ${error.stack} ${JSON.stringify(error)}`, /s3cret/);
  return `${error.kind}: ${error.message}`;
}

describe("NATS lets us in", { skip: NO_NATS }, () => {
  it("with a user name and a password, in the address or beside it", async () => {
    const { url, port } = await start({ lines: ['authorization { user: "hub", password: "s3cret:@/%,x" }'] });
    await works({ servers: url, user: "hub", password: "s3cret:@/%,x" });
    await works({ servers: `nats://hub:${encodeURIComponent("s3cret:@/%,x")}@127.0.0.1:${port}` });
    assert.match(
      await refusal({ servers: url, user: "hub", password: "s3cretwrong" }),
      /^credentials: .*refuses our user/,
    );
    assert.match(await refusal({ servers: url }), /^credentials: /);
  });

  it("with a token", async () => {
    const { url, port } = await start({ lines: ['authorization { token: "s3cret-token" }'] });
    await works({ servers: url, token: "s3cret-token" });
    await works({ servers: `nats://s3cret-token@127.0.0.1:${port}` });
    assert.match(await refusal({ servers: url, token: "s3cret-wrong" }), /^credentials: /);
  });

  it("with an nkey", async () => {
    const pair = nkeys.createUser();
    const { url, folder } = await start({ lines: [`authorization { users: [{ nkey: ${pair.getPublicKey()} }] }`] });
    const at = (name: string, seed: Uint8Array | string): string => {
      writeFileSync(joinPath(folder, name), seed);
      return joinPath(folder, name);
    };
    await works({ servers: url, nkeyFile: at("own", `${Buffer.from(pair.getSeed())}\n`) });
    assert.match(
      await refusal({ servers: url, nkeyFile: at("other", nkeys.createUser().getSeed()) }),
      /^credentials: /,
    );
    assert.match(
      await refusal({ servers: url, nkeyFile: at("bad", "s3cret") }),
      /^file: .*nkey does not hold such a key/,
    );
    assert.match(await refusal({ servers: url, nkeyFile: joinPath(folder, "none") }), /^file: .*cannot be read/);
  });

  it("with a file of credentials", async () => {
    const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
    const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
    const accountToken = signed(operator, account, { limits, type: "account", version: 2 });
    const userToken = signed(account, user, {
      pub: {},
      sub: {},
      subs: -1,
      data: -1,
      payload: -1,
      type: "user",
      version: 2,
    });
    const { url, folder } = await start({
      lines: [
        `trusted_keys: ${operator.getPublicKey()}`,
        `resolver: MEMORY`,
        `resolver_preload: { ${account.getPublicKey()}: "${accountToken}" }`,
      ],
    });
    const credsFile = joinPath(folder, "hub.creds");
    const block = (what: string, text: string): string =>
      `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n\n`;
    const seed = Buffer.from(user.getSeed()).toString();
    writeFileSync(credsFile, block("NATS USER JWT", userToken) + block("USER NKEY SEED", seed));
    await works({ servers: url, credsFile });
    writeFileSync(credsFile, "s3cret");
    assert.match(await refusal({ servers: url, credsFile }), /^file: .*credentials does not hold such a key/);
    assert.match(await refusal({ servers: url }), /^credentials: /);
  });

  it("over TLS, if its certificate is good, and with ours where it asks for one", async () => {
    let files: ReturnType<typeof certificates> | undefined;
    const { port } = await start({
      prepare: async (folder) => {
        files = certificates(folder);
        const { ca, cert, key } = files;
        return [`tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}", verify: true }`];
      },
    });
    assert.ok(files);
    const { ca, clientCert: cert, clientKey: key } = files;
    const servers = `tls://127.0.0.1:${port}`;
    await works({ servers, tls: { ca, cert, key } });
    await works({ servers: `tls://localhost:${port}`, tls: { ca, cert, key } });
    assert.match(await refusal({ servers, tls: { cert, key } }), /^tls: .*not trusted/);
    assert.match(await refusal({ servers, tls: { ca } }), /^tls: |^unreachable: /);
    assert.match(await refusal({ servers, tls: { ca: "/nowhere" } }), /^file: .*ca cannot be read/);
    const plain = await start();
    assert.match(await refusal({ servers: `tls://127.0.0.1:${plain.port}` }), /^tls: .*offers no TLS/);
  });

  it("only where it allows our subjects", async () => {
    const allow = (subjects: string): string[] => [
      `authorization { users: [{ user: "hub", password: "p", permissions: { publish: "zaguan.>", subscribe: ${subjects} } }] }`,
    ];
    const { url } = await start({ lines: allow('["zaguan.all", "zaguan.u.>"]') });
    assert.match(await refusal({ servers: url, user: "hub", password: "p" }), /^permission: .*zaguan\.n\.a/);
    const { url: other } = await start({ lines: allow('"zaguan.>"') });
    await works({ servers: other, user: "hub", password: "p" });
  });
});

describe("an address", { skip: NO_NATS }, () => {
  it("at which nothing is, or which is no address, is told in one line", async () => {
    const port = await freePort();
    assert.equal(
      await refusal({ servers: `nats://hub:s3cret@127.0.0.1:${port}` }),
      `unreachable: NATS cannot be reached at 127.0.0.1:${port}: connection refused`,
    );
    assert.match(await refusal({ servers: "nats://nowhere.invalid" }), /^unreachable: .*host name not found/);
    assert.match(await refusal({ servers: "postgres://hub:s3cret@127.0.0.1" }), /^address: /);
    assert.match(await refusal({ servers: "" }), /^address: /);
  });

  it("of something else is told in one line, and no socket is left", async () => {
    const before = openFiles();
    const server = createServer((socket) => socket.on("error", () => {}).write("220 mail.example ESMTP\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    assert.equal(
      await refusal({ servers: `127.0.0.1:${port}` }),
      `not-nats: What answers at 127.0.0.1:${port} is not NATS`,
    );
    await new Promise((resolve) => server.close(resolve));
    await until("all sockets are closed", () => openFiles() <= before);
  });

  it("of one NATS of several is enough", async () => {
    const { url } = await start();
    await works({ servers: `nats://127.0.0.1:${await freePort()},${url}` });
  });
});

describe("when NATS goes away", { skip: NO_NATS }, () => {
  it("it is told, nothing is sent late, and all goes on when it is back", async () => {
    const nats = await start();
    const settings = { servers: `nats://hub:s3cret@127.0.0.1:${nats.port}` };
    const [a, b] = [await join(settings), await join(settings, "b")];
    await nats.kill();
    await until("both have noticed", () => [a, b].every(({ bus }) => bus.state().link === "away"));
    for (let index = 0; index < 100; index++) assert.equal(a.bus.send({ node: "b" }, "late"), 0);
    assert.equal(a.bus.cast("late"), 0);
    await until("it was tried again", () => /connection refused/.test(a.bus.state().reason ?? ""));
    assert.doesNotMatch(JSON.stringify(a.states), /s3cret/);
    await nats.restart();
    await until("both are back", () => [a, b].every(({ bus }) => bus.state().link === "connected"));
    a.bus.send({ node: "b" }, "again");
    await until("it was heard", () => b.heard.length > 0);
    assert.deepEqual(
      b.heard.map(({ message }) => message),
      ["again"],
    );
    assert.equal(a.bus.counts().dropped.away, 101);
    assert.equal(a.bus.state().reason, undefined);
  });

  it("in the middle of a large message, the rest of it is not sent later", async () => {
    const nats = await start();
    const [a, b] = [await join({ servers: nats.url }), await join({ servers: nats.url }, "b")];
    nats.freeze();
    assert.ok(a.bus.send({ node: "b" }, "x".repeat(16_000_000)) > 0);
    await nats.kill();
    await until("both have noticed", () => [a, b].every(({ bus }) => bus.state().link === "away"));
    await nats.restart();
    await until("both are back", () => [a, b].every(({ bus }) => bus.state().link === "connected"));
    a.bus.send({ node: "b" }, "again");
    await until("it was heard", () => b.heard.length > 0);
    assert.equal(b.heard[0]?.message, "again");
  });

  it("and only stops reading, what waits is bounded and the connection is given up", async () => {
    const nats = await start();
    const [a, b] = [
      await join({ servers: nats.url }, "a", { maxBacklogBytes: 4_000_000 }),
      await join({ servers: nats.url }, "b"),
    ];
    nats.freeze();
    const text = "x".repeat(10_000);
    const sent = Array.from({ length: 5_000 }, () => a.bus.send({ node: "b" }, text)).filter((number) => number > 0);
    assert.ok(sent.length >= 300 && sent.length <= 400, `${sent.length} were taken`);
    assert.equal(a.bus.counts().dropped.backlog, 5_000 - sent.length);
    await until("it is given up", () => a.bus.state().link === "away");
    assert.match(a.states[0]?.reason ?? "", /NATS does not answer/);
    nats.thaw();
    await until("both are back", () => [a, b].every(({ bus }) => bus.state().link === "connected"));
    // What the socket had taken before may still come; each message at most once.
    a.bus.send({ node: "b" }, "again");
    await until("it was heard", () => b.heard.at(-1)?.message === "again");
    assert.ok(b.heard.length <= sent.length + 1);
  });

  it("a bus that waits for it can be closed, and leaves nothing behind", async () => {
    const before = openFiles();
    const nats = await startNats();
    const { bus } = await openNode(nats.url, "a");
    await nats.stop();
    await until("it has noticed", () => bus.state().link === "away");
    await bus.close();
    assert.deepEqual([bus.state().link, bus.send({ node: "b" }, "x")], ["closed", 0]);
    await until("all files are closed", () => openFiles() <= before);
  });

  it("in a cluster of three, the others carry on", async () => {
    const servers = await startNatsCluster(3);
    cleanups.push(...servers.map((server) => () => server.stop()));
    const [first, second, third] = servers as [NatsProcess, NatsProcess, NatsProcess];
    // Each begins at another server, and all know where else to go.
    const a = await join({ servers: first.url });
    const b = await join({ servers: second.url }, "b");
    const c = await join({ servers: [first, second, third].map(({ url }) => url).join() }, "c");
    c.bus.listen((from, message) => c.bus.send(from, message));
    const echo = async (node: TestNode, text: string): Promise<void> => {
      await until(`${text} came back`, () => {
        node.bus.send({ node: "c" }, text);
        return node.heard.some(({ message }) => message === text);
      });
    };
    await echo(a, "one");
    await echo(b, "two");
    await third.kill();
    await echo(a, "three");
    await first.kill();
    await until("a has noticed", () => a.bus.state().link === "away");
    await echo(b, "four");
    await first.restart();
    await echo(a, "five");
  });
});

/** A token of NATS' accounts, made without its tools. */
function signed(issuer: Pair, subject: Pair, nats: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const [iss, sub] = [issuer.getPublicKey(), subject.getPublicKey()];
  const jti = createHash("sha256").update(randomBytes(16)).digest("hex");
  const claims = { jti, iat: Math.floor(Date.now() / 1_000), iss, sub, name: "test", nats };
  const text = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part(claims)}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`;
}
