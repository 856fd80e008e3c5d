/** The command as a whole, without a hub: help, version, languages, and every way to get it wrong. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { LANGUAGES, say } from "../messages/catalogue.ts";
import { NAME, VERSION } from "../version.ts";
import { COMMANDS } from "./commands/index.ts";
import { main } from "./main.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-main-"));
after(() => rmSync(folder, { recursive: true }));

/** Data and configuration are in a folder of the test's own, whatever the machine has. */
async function zaguan(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  let [out, err] = ["", ""];
  const code = await main(words, {
    env: { ZAGUAN_DATA: join(folder, "data"), ZAGUAN_CONFIG: join(folder, "zaguan.json"), ...env },
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

describe("wrong usage is one line on stderr, exit code 2, and names what was wrong", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["serv", /^zaguan: unknown command 'serv'; did you mean 'zaguan serve'\?$/],
    ["frobnicate", /unknown command 'frobnicate'; 'zaguan --help'/],
    ["help frobnicate", /unknown command 'frobnicate'/],
    ["--prot 1", /^zaguan serve: unknown option --prot; did you mean --port\?$/],
    ["serve --frobnicate", /unknown option --frobnicate; 'zaguan serve --help'/],
    ["serve -x", /unknown option -x/],
    ["serve --port", /--port needs a value: --port PORT/],
    ["serve --port --host", /--port needs a value/],
    ["serve --port abc", /--port: "abc" is not a whole number/],
    ["serve --port 70000", /70000/],
    ["serve --host http://x", /--host/],
    ["serve --allow-private=1", /--allow-private takes no value/],
    ["serve --nats", /--nats needs a value: --nats URL/],
    ["serve --node", /--node needs a value: --node NAME/],
    ["stdio --nats nats://a", /unknown option --nats/],
    ["serve now", /'now' is one word too many; usage: zaguan \[serve\]/],
    ["serve --lang xx", /'xx'.*en, es, fr, zh/],
    ["--lang", /--lang needs a value/],
    ["stdio --agent a --server b", /--server and --agent cannot be combined/],
    ["stdio --server", /--server needs a value/],
    ["simulate --lang en", /say what to do: status, lights, alarm, presence/],
    ["simulate lights --lang en", /say what to do: list, on, off/],
    ["simulate lights on --lang en", /NAME is missing; usage: zaguan simulate lights on NAME/],
    ["simulate light --lang en", /did you mean 'lights'/],
    ["simulate alarm maybe --lang en", /unknown word 'maybe'; expected one of: on, off/],
    ["simulate presence set --lang en", /NAME is missing/],
    ["simulate --mcp status --lang en", /'status' is one word too many/],
    ["simulate --mcp=http --lang en", /--mcp takes no value/],
    ["add", /NAME is missing; usage: zaguan add NAME/],
    ["add x", /URL \| -- COMMAND is missing/],
    ["add x --", /URL \| -- COMMAND is missing/],
    ["add x npx", /'npx' is no URL.*zaguan add x -- npx/],
    ["add x npx -y y", /unknown option -y.*after --/],
    ["add x ftp://example.org", /is no URL/],
    ["add x http://", /is no URL/],
    ["add x https://example.org -- npx", /either a URL or a command/],
    ["add x https://example.org --env A=1", /--env goes with -- COMMAND only/],
    ["add x https://example.org --line", /--line goes with -- COMMAND only/],
    ["add x https://example.org --header nocolon", /--header needs the form 'K: V'/],
    ["add x --header A:1 -- npx", /--header goes with URL only/],
    ["add x --env novalue -- npx", /--env needs the form K=V/],
    ["add __proto__ https://example.org", /a text of 1 to 100 characters/],
    ["add house https://example.org", /house/],
    ["remove", /NAME is missing/],
    ["remove a b", /'b' is one word too many/],
    ["servers --url nonsense", /'nonsense' is no address of a hub/],
    ["servers --hub nonsense", /'nonsense' is no address of a hub/],
    ["server", /say what to do: register, show, change, remove, discover, refresh, log/],
    ["server registre x", /did you mean 'register'/],
    ["server register", /NAME is missing; usage: zaguan server register NAME URL/],
    ["server register x", /URL is missing; usage: zaguan server register NAME URL/],
    ["server register x npx", /'npx' is no URL.*zaguan add x -- npx/],
    ["server register __proto__ https://example.org", /a text of 1 to 100 characters/],
    ["server register x https://example.org y", /'y' is one word too many/],
    ["server register x https://example.org --auth basic", /--auth: 'basic' is not one of none, apikey, oauth/],
    ["server register x https://example.org --credentials k", /credentials need --auth apikey or --auth oauth/],
    ["server register x https://example.org --header nocolon", /--header needs the form 'K: V'/],
    ["server register x https://example.org --name y", /--name belongs to 'change'/],
    ["server register x https://example.org --url y", /--url belongs to 'change'/],
    ["server change x", /say what to change; usage: zaguan server change NAME/],
    ["server change x --credentials=", /the credentials are empty/],
    ["server change x --url nonsense", /'nonsense' is no URL/],
    ["server change x --name __proto__", /a text of 1 to 100 characters/],
    ["server change x --credentials k --auth none", /--credentials and --auth none cannot be combined/],
    ["server change x --credentials k --credentials-file f", /--credentials and --credentials-file cannot be combined/],
    ["server change x --header @- --credentials-file -", /--credentials-file - and --header @- cannot be combined/],
    ["server show", /NAME is missing; usage: zaguan server show NAME/],
    ["server show ..", /'..' is not a valid name/],
    ["server show x --auth none", /--auth belongs to 'register, change'/],
    ["server log x y", /'y' is one word too many/],
    ["agent", /say what to do: create, show, change, remove, link, unlink, links, key, revoke/],
    ["agent create", /NAME is missing; usage: zaguan agent create NAME/],
    ["agent create x --autonomy never", /--autonomy: 'never' is not one of Manual, Supervised, Auto/],
    ["agent create x --prompt p --prompt-file f", /--prompt and --prompt-file cannot be combined/],
    ["agent create x --fixed a=b", /--fixed belongs to 'link'/],
    ["agent change x", /say what to change; usage: zaguan agent change NAME/],
    ["agent link x", /TOOL is missing; usage: zaguan agent link NAME TOOL/],
    ["agent unlink x", /TOOL is missing/],
    ["agent key x --disabled", /--disabled belongs to 'link'/],
    ["agents --hub ftp://x", /is no address of a hub/],
    ["export x", /'x' is one word too many/],
    ["export --form yaml", /--form: 'yaml' is not one of mcpServers, vscode/],
    ["export --client emacs", /--client: 'emacs' is not one of claude-desktop/],
    ["export --client cursor --form vscode", /--form and --client cannot be combined/],
    ["tools --jsno", /did you mean --json/],
    ["call", /TOOL is missing/],
    ["call t --json [1]", /--json needs a JSON object/],
    ["call t --json {", /--json needs a JSON object/],
    ["call t --timeout 0", /--timeout needs a number of seconds/],
    ["call t --timeout soon", /--timeout needs a number of seconds/],
    ["call t u", /'u' is one word too many/],
    ["import", /FILE\|URL is missing; usage: zaguan import FILE/],
    ["import https://", /URL: 'https:\/\/' is no URL/],
    ["import https://example.org/a.json --base-url example.org", /--base-url: 'example\.org' is no URL/],
    ["import https://example.org/a.json --name __proto__", /a text of 1 to 100 characters/],
    ["import https://example.org/a.json --bearer x --basic a:b", /--bearer and --basic cannot be combined/],
    ["import https://example.org/a.json --basic secret", /--basic needs the form 'USER:PASSWORD\|@FILE'$/],
    ["import https://example.org/a.json --api-key secret", /--api-key needs the form 'header\|query\|cookie:NAME=KEY/],
    ["import https://example.org/a.json --bearer @- --header @-", /--bearer @- and --header @- cannot be combined/],
    ["key", /say what to do: create, list, revoke/],
    ["key crate x", /did you mean 'create'/],
    ["key create", /NAME is missing; usage: zaguan key create NAME/],
    ["key revoke", /NAME is missing; usage: zaguan key revoke NAME/],
    ["key list --tools x", /--tools belongs to 'create'/],
    ["key create x --json", /--json belongs to 'list'/],
    ["key create x --admin --tools y", /--admin and --tools cannot be combined/],
    ["key revoke x --admin", /--admin belongs to 'create'/],
    [`key create ${"n".repeat(65)}`, /1 to 64 characters/],
    ["doctor all", /'all' is one word too many/],
    ["completion", /bash\|zsh\|fish is missing/],
    ["completion bsh", /did you mean 'bash'/],
    ["completion powershell", /expected one of: bash, zsh, fish/],
  ];
  for (const [words, expected] of cases) {
    test(`zaguan ${words}`, async () => {
      const { code, out, err } = await zaguan(words.split(" "));
      assert.match(err, /^[^\n]+\n$/);
      assert.match(err.trimEnd(), expected);
      assert.deepEqual([code, out], [2, ""]);
    });
  }

  test("a variable of the environment with a wrong value", async () => {
    const { code, err } = await zaguan(["serve"], { ZAGUAN_PORT: "abc" });
    assert.match(err, /^zaguan serve: ZAGUAN_PORT: "abc" is not [^\n]+\n$/);
    assert.equal(code, 2);
    assert.match((await zaguan(["tools"], { ZAGUAN_LANG: "de" })).err, /ZAGUAN_LANG: unsupported language 'de'/);
  });

  test("a word that steers the terminal is repeated harmlessly", async () => {
    const { err } = await zaguan(["a\u001b[2J\nb"]);
    assert.equal(err.includes("\u001b"), false);
    assert.equal(err.split("\n").length, 2);
  });
});

describe("what can happen to anybody is one line on stderr and exit code 1", () => {
  const nobody = { ZAGUAN_URL: "http://127.0.0.1:1" };
  const cases: readonly (readonly [string, RegExp])[] = [
    ["tools", /no hub is running at http:\/\/127\.0\.0\.1:1; start it with 'zaguan serve'/],
    ["servers", /no hub is running/],
    ["call x", /no hub is running/],
    ["server register x https://example.org", /no hub is running/],
    ["server show x", /no hub is running/],
    ["server change x --name y", /no hub is running/],
    ["server remove x", /no hub is running/],
    ["server discover x", /no hub is running/],
    ["server refresh x", /no hub is running/],
    ["server log x", /no hub is running/],
    ["agents", /no hub is running/],
    ["agent create x", /no hub is running/],
    ["agent link x y", /no hub is running/],
    ["agent unlink x y", /no hub is running/],
    ["agent links x", /no hub is running/],
    ["agent key x", /no hub is running/],
    ["export", /no hub is running/],
    ["export --client cursor", /no hub is running/],
    ["tools --all", /no hub is running/],
    ["server change x --credentials-file /nowhere", /\/nowhere: there is no such file/],
    ["remove nobody", /no server named 'nobody' in zaguan\.json/],
    ["import /nowhere.json", /nowhere\.json: there is no such file/],
    ["import https://example.org/a.json", /no hub is running at \S+; start it with 'zaguan serve'/],
    ["import https://example.org/a.json --preview", /no hub is running/],
    ["import https://example.org/a.json --refresh", /no hub is running/],
    ["import https://example.org/a.json --bearer @/nowhere", /\/nowhere: there is no such file/],
    ["tools --key clé", /contains invalid characters/],
    ["simulate lights on luna --lang en", /Light 'luna' not found; the lights are: salon, cocina/],
    ["key revoke nobody", /no active key named 'nobody'/],
  ];
  for (const [words, expected] of cases) {
    test(`zaguan ${words}`, async () => {
      const { code, out, err } = await zaguan(words.split(" "), nobody);
      assert.match(err, /^zaguan: [^\n]+\n$/);
      assert.match(err, expected);
      assert.deepEqual([code, out], [1, ""]);
    });
  }

  test("a configuration that is broken", async () => {
    const file = join(folder, "broken.json");
    writeFileSync(file, '{"mcpServer":{}}');
    const { code, err } = await zaguan(["serve", "--config", file]);
    assert.match(err, /^zaguan: broken\.json: unknown key "mcpServer" \(did you mean "mcpServers"\?\)\n$/);
    assert.equal(code, 1);
  });
});

describe("a mistake of ours", () => {
  const broken = (env: NodeJS.ProcessEnv = {}) => {
    let err = "";
    const stdout = {
      write: () => {
        throw new Error("out of paper in /secret/printer");
      },
    };
    const world = { env, stdout, stderr: { write: (text: string) => (err += text) } };
    return main(["--version"], world).then((code) => ({ code, err }));
  };

  test("is one line with a reference, which is the same each time", async () => {
    const [first, second] = [await broken(), await broken()];
    assert.match(first.err, /^zaguan: unexpected error \(reference [0-9a-f]{8}\)[^\n]+\n$/);
    assert.equal(first.err, second.err);
    assert.equal(first.code, 1);
  });

  test("shows its stack to those who ask for it", async () => {
    assert.match((await broken({ ZAGUAN_DEBUG: "1" })).err, /out of paper[\s\S]+ at /);
  });
});

describe("help", () => {
  for (const words of ["--help", "-h", "help", "--lang en --help"]) {
    test(`zaguan ${words} names every command`, async () => {
      const { code, out } = await zaguan(words.split(" "));
      for (const { name, summary } of COMMANDS) assert.ok(out.includes(name) && out.includes(say("en", summary)), name);
      assert.equal(code, 0);
    });
  }

  for (const command of COMMANDS) {
    test(`of ${command.name} names every option, its variable and every form, in every language`, async () => {
      for (const lang of LANGUAGES) {
        const { code, out } = await zaguan([command.name, "--help", "--lang", lang]);
        for (const { name, env, summary } of command.options) {
          assert.ok(out.includes(`--${name}`) && out.includes(say(lang, summary)), `${name} in ${lang}`);
          assert.ok(out.includes(env ?? ""), `${env} in ${lang}`);
        }
        for (const form of command.usage) assert.ok(out.includes(form), form);
        assert.equal(code, 0);
      }
    });
  }

  test("is the same by another word", async () => {
    assert.equal((await zaguan(["help", "call"])).out, (await zaguan(["call", "-h"])).out);
    assert.equal((await zaguan(["help", "--lang", "fr", "call"])).out, (await zaguan(["call", "-h", "--lang=fr"])).out);
  });

  test("comes even where an operand is missing", async () => assert.equal((await zaguan(["add", "--help"])).code, 0));

  test("a server that is reached over a socket can be added", async () => {
    const { code, out } = await zaguan(["add", "far", "wss://mcp.example.com/mcp"]);
    assert.equal(code, 0);
    assert.match(out, /Added far/);
  });

  test("is not asked for behind --", async () => {
    const { code, out } = await zaguan(["add", "helper", "--", "prog", "--help"]);
    assert.equal(code, 0);
    assert.match(out, /Added helper/);
  });
});

describe("the language", () => {
  test("is that of --lang, before or behind the command", async () => {
    for (const words of [
      ["--lang", "fr", "serv"],
      ["--lang=fr", "serv"],
      ["serv", "--lang", "fr"],
    ]) {
      assert.match((await zaguan(words)).err, /commande inconnue/);
    }
  });

  test("else that of ZAGUAN_LANG", async () => {
    assert.match((await zaguan(["serv"], { ZAGUAN_LANG: "zh" })).err, /未知命令/);
    assert.match((await zaguan(["serv", "--lang", "es"], { ZAGUAN_LANG: "zh" })).err, /comando desconocido/);
  });

  test("else Spanish for the simulator, as its seed speaks", async () => {
    assert.match((await zaguan(["simulate"])).err, /diga qué hacer/);
    assert.match((await zaguan(["simulate"], { ZAGUAN_LANG: "en" })).err, /say what to do/);
  });
});

test("the version is that of the package", async () => {
  for (const word of ["--version", "-V"]) {
    assert.deepEqual(await zaguan([word]), { code: 0, out: `${NAME} ${VERSION}\n`, err: "" });
  }
});
