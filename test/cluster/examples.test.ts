/** The files of examples/cluster: read by the programs they are for, where these are installed, and held against what the hub needs. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { haproxyFile } from "../../scripts/cluster/balancer.ts";
import { COMMANDS } from "../../src/cli/commands/index.ts";
import { parseConfig } from "../../src/config/load.ts";
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import { MONITORING_OPERATIONS } from "../../src/doors/rest/monitoring-operations.ts";
import { VERSION } from "../../src/version.ts";
import { freePort } from "../support/mqtt/mosquitto.ts";
import { nginxArguments, programPath } from "../support/proxy-programs.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/cluster/", import.meta.url));
const HOST = "hub.example.org";
/** Calls of clients get the grace once, and handing over once more; the last answers and the hub's own end take a few seconds. */
const DRAIN_SECONDS = 2 * DEFAULT_LIMITS.graceSeconds + 5;
const VARIABLES = new Set(COMMANDS.flatMap(({ options }) => options.flatMap(({ env }) => env ?? [])));
const SECRET_VARIABLES = ["ZAGUAN_CLUSTER_SECRET", "ZAGUAN_SECRET_KEY"];

// biome-ignore lint/suspicious/noExplicitAny: what the files hold; the assertions say what is expected.
type Anything = any;

const folder = mkdtempSync(join(tmpdir(), "zaguan-examples-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string): string => readFileSync(join(EXAMPLES, file), "utf8");
const missing = (program: string): string | false =>
  programPath(program) === undefined && `${program} is not installed`;

describe("the balancers' files", () => {
  /** A certificate where the example has one. */
  const certified = (text: string): string => {
    const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    const files = ["-keyout", "key.pem", "-out", "cert.pem", "-subj", `/CN=${HOST}`];
    execFileSync("openssl", [...made, ...files], { cwd: folder, stdio: "ignore" });
    const both = readFileSync(join(folder, "cert.pem"), "utf8") + readFileSync(join(folder, "key.pem"), "utf8");
    writeFileSync(join(folder, "both.pem"), both);
    return text
      .replace("/etc/ssl/hub.example.org.both.pem", join(folder, "both.pem"))
      .replace("/etc/ssl/hub.example.org.pem", join(folder, "cert.pem"))
      .replace("/etc/ssl/hub.example.org.key", join(folder, "key.pem"));
  };

  it("are taken by HAProxy", { skip: missing("haproxy") }, () => {
    const tried = haproxyFile({ port: 3003, nodes: new Map([["node-1", 3101]]) });
    const files = [certified(read("haproxy.cfg")), read("compose/haproxy.cfg"), tried];
    for (const [index, text] of files.entries()) {
      const file = join(folder, `haproxy-${index}.cfg`);
      writeFileSync(file, text);
      const { status, stdout, stderr } = spawnSync(programPath("haproxy") ?? "", ["-c", "-f", file], {
        encoding: "utf8",
      });
      assert.equal(status, 0, `${stdout}${stderr}\n${text}`);
    }
  });

  it("are taken by nginx", { skip: missing("nginx") }, async () => {
    const listen = `listen 127.0.0.1:${await freePort()} ssl;`;
    const site = certified(read("nginx.conf")).replace("listen 443 ssl;", listen);
    const args = ["-t", ...nginxArguments(folder, site)];
    const { status, stderr } = spawnSync(programPath("nginx") ?? "", args, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  });

  it("become those of `npm run cluster`: other addresses, no TLS, and no header that makes visitors strangers", () => {
    const nodes = new Map([
      ["node-1", 3101],
      ["node-2", 3102],
    ]);
    const text = haproxyFile({ port: 3003, nodes });
    assert.doesNotMatch(text, /192\.0\.2|example\.org|ssl|forward/i);
    assert.deepEqual(text.match(/^ {2}(?:bind|server) .*$/gm), [
      "  bind 127.0.0.1:3003",
      "  server node-1 127.0.0.1:3101",
      "  server node-2 127.0.0.1:3102",
    ]);
  });
});

describe("the systemd unit", () => {
  const unit = read("systemd/zaguan@.service");

  it("is taken by systemd", { skip: missing("systemd-analyze") }, () => {
    mkdirSync(join(folder, "units"));
    const file = join(folder, "units", "zaguan@.service");
    // The program that it names is not installed here.
    writeFileSync(file, unit.replace("/usr/bin/zaguan", process.execPath));
    copyFileSync(file, join(folder, "units", "zaguan@garage.service"));
    const args = ["verify", "--man=no", join(folder, "units", "zaguan@garage.service")];
    const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    assert.deepEqual([status, stdout + stderr], [0, ""]);
  });

  it("gives a node the time to drain, and tells the hub alone", () => {
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) >= DRAIN_SECONDS);
    assert.match(unit, /^KillMode=mixed$/m);
  });

  it("starts the hub with options and variables that there are", () => {
    const serve = COMMANDS.find(({ name }) => name === "serve");
    const options = /^ExecStart=.*$/m.exec(unit)?.[0].match(/(?<= )--[a-z-]+/g) ?? [];
    assert.ok(options.length > 3);
    for (const option of options)
      assert.ok(
        serve?.options.some(({ name }) => `--${name}` === option),
        option,
      );
    assertVariables(read("systemd/cluster.env").match(/^ZAGUAN_\w+/gm) ?? []);
    assertNodeConfig(read("systemd/config.json"));
  });
});

describe("the compose file", () => {
  const file: Anything = parse(read("compose/compose.yaml"), { merge: true });

  it("has nodes of different names that are otherwise the same, all of them behind the balancer", () => {
    const nodes = Object.keys(file.services).filter((name) => name.startsWith("node-"));
    assert.equal(nodes.length, 3);
    const [first, ...others] = nodes.map((name) => {
      const { ZAGUAN_NODE, ...environment } = file.services[name].environment;
      assert.equal(ZAGUAN_NODE, name);
      return { ...file.services[name], environment };
    });
    for (const other of others) assert.deepEqual(other, first);
    const servers = read("compose/haproxy.cfg").match(/(?<=^ {2}server )\S+ \S+/gm);
    assert.deepEqual(
      servers,
      nodes.map((name) => `${name} ${name}:3003`),
    );
    assert.ok(Number.parseInt(first.stop_grace_period, 10) >= DRAIN_SECONDS);
    assertVariables(Object.keys(first.environment).filter((name) => name.startsWith("ZAGUAN_")));
  });

  it("asks for every variable that its .env has, and names services and volumes that there are", () => {
    const text = read("compose/compose.yaml");
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
    assert.deepEqual([...asked].sort(), (read("compose/.env.example").match(/^\w+/gm) ?? []).sort());
    for (const { depends_on: needed = [] } of Object.values<Anything>(file.services)) {
      const names = Array.isArray(needed) ? needed : Object.keys(needed);
      for (const name of names) assert.ok(file.services[name], name);
    }
    assert.deepEqual(Object.keys(file.volumes), ["postgres"]);
    parseConfig(read("compose/config.json"), "zaguan.json", {});
  });

  it("is taken by docker compose", { skip: noCompose() }, () => {
    const env = { ...process.env, ZAGUAN_CLUSTER_SECRET: "x", POSTGRES_PASSWORD: "x" };
    const args = ["compose", "--file", join(EXAMPLES, "compose/compose.yaml"), "config", "--quiet"];
    const { status, stderr } = spawnSync("docker", args, { env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
  });
});

describe("the Kubernetes manifests", () => {
  const all = [...documentsIn("kubernetes/zaguan.yaml"), ...documentsIn("kubernetes/first-key.yaml")];
  const of = (kind: string): Anything => all.find((one) => one.kind === kind) ?? assert.fail(kind);
  const pod = of("StatefulSet").spec.template;
  const [container] = pod.spec.containers;

  it("are of kinds and versions that there are, each with a name", () => {
    assert.deepEqual(
      all.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`),
      [
        "v1 ConfigMap zaguan",
        "v1 Service zaguan",
        "v1 Service zaguan-nodes",
        "policy/v1 PodDisruptionBudget zaguan",
        "apps/v1 StatefulSet zaguan",
        "batch/v1 Job zaguan-first-key",
      ],
    );
  });

  it("select the pods of the StatefulSet, whose names are those of the nodes", () => {
    const { labels } = pod.metadata;
    for (const { kind, spec } of all) {
      if (kind === "Service") assert.deepEqual(spec.selector, labels);
      if (kind === "StatefulSet" || kind === "PodDisruptionBudget") assert.deepEqual(spec.selector.matchLabels, labels);
    }
    assert.equal(of("StatefulSet").spec.serviceName, "zaguan-nodes");
    const node = container.env.find(({ name }: Anything) => name === "ZAGUAN_NODE");
    assert.equal(node.valueFrom.fieldRef.fieldPath, "metadata.name");
  });

  it("ask the hub what it answers, under a name that it lets in, and give it the time to drain", () => {
    for (const [probe, path] of [
      ["readinessProbe", "/health"],
      ["livenessProbe", "/health/cluster"],
    ] as const) {
      const { httpGet } = container[probe];
      assert.equal(httpGet.path, path);
      assert.ok(MONITORING_OPERATIONS.some((operation) => operation.path === path && operation.needs === "nobody"));
      assert.deepEqual(httpGet.httpHeaders, [{ name: "Host", value: HOST }]);
    }
    assertNodeConfig(of("ConfigMap").data["zaguan.json"]);
    const pause = Number(container.lifecycle.preStop.exec.command[1]);
    assert.ok(pod.spec.terminationGracePeriodSeconds >= pause + DRAIN_SECONDS);
  });

  it("take secrets from the Secret that the README makes, and volumes that they have", () => {
    const jobs = of("Job").spec.template.spec.containers;
    const env: Anything[] = [container, ...jobs].flatMap((one) => one.env);
    const keys = env.flatMap(({ valueFrom }) => valueFrom.secretKeyRef ?? []);
    const made = read("README.md").match(/(?<=--from-literal=)[\w-]+/g) ?? [];
    assert.deepEqual(
      [...new Set(keys.map(({ name, key }) => `${name} ${key}`))].sort(),
      made.map((key) => `zaguan ${key}`).sort(),
    );
    assertVariables(env.map(({ name }) => name));
    const volumes = pod.spec.volumes.map(({ name }: Anything) => name);
    assert.deepEqual(
      container.volumeMounts.map(({ name }: Anything) => name),
      volumes,
    );
    for (const { image } of [container, ...jobs]) assert.ok(image.endsWith(`/zaguan:${VERSION}`), image);
  });
});

it("the README leads to every file", () => {
  const readme = read("README.md");
  for (const file of ["haproxy.cfg", "nginx.conf", "Dockerfile", "compose/", "systemd/", "kubernetes/"]) {
    assert.ok(readme.includes(`](${file})`), file);
  }
});

function documentsIn(file: string): Anything[] {
  return parseAllDocuments(read(file)).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS();
  });
}

function assertVariables(names: readonly string[]): void {
  assert.ok(names.length > 0);
  for (const name of names) assert.ok(VARIABLES.has(name) || SECRET_VARIABLES.includes(name), name);
}

/** A hub takes it, and lets the balancer's visitors in under the name of the examples. */
function assertNodeConfig(text: string): void {
  const { auth } = parseConfig(text, "zaguan.json", {});
  assert.ok(auth.requireKey && auth.trustedProxies.length > 0);
  assert.deepEqual(auth.allowedHosts, [HOST]);
}

function noCompose(): string | false {
  const { status } = spawnSync("docker", ["compose", "version"], { stdio: "ignore" });
  return status !== 0 && "docker compose is not installed";
}
