import assert from "node:assert/strict";
import { access, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { LONG_CODE } from "../../../test/support/infrared/vectors.ts";
import { complaintOf, runProgram } from "../../../test/support/run-program.ts";
import { CodeFolder } from "./code-folder.ts";
import { failureText } from "./failure.ts";
import { hexOf, parseHex } from "./frame.ts";

const noPython = (await complaintOf("python3", ["-c", "import json"])) ?? false;
const CODE = parseHex(LONG_CODE) ?? assert.fail();
const NOTHING = { description: "", aliases: [], category: "", device: "" };

describe("the folder of codes", () => {
  let outside: string;
  let path: string;
  let folder: CodeFolder;
  let logged: string[];

  const write = (name: string, text: string): Promise<void> => writeFile(join(path, name), text);
  const read = (name: string): Promise<string> => readFile(join(path, name), "utf8");
  const meta = async (): Promise<unknown> => JSON.parse(await read("codes_meta.json"));

  beforeEach(async () => {
    outside = await mkdtemp(join(tmpdir(), "codes-"));
    path = join(outside, "hex");
    await mkdir(path);
    logged = [];
    folder = new CodeFolder(path, (line) => logged.push(line));
  });
  afterEach(() => rm(outside, { recursive: true }));

  it("lists codes by name, with what is known of them", async () => {
    await write("tv_power.hex", LONG_CODE);
    await write("空调.hex", "01 02");
    await write("notes.txt", "no code");
    await write(".hex", "no name");
    await mkdir(join(path, "folder.hex"));
    const known = { description: "开关", aliases: ["电源", "关机"], category: "tv", device: "电视" };
    await write("codes_meta.json", JSON.stringify({ tv_power: known, forgotten: {} }));
    assert.deepEqual(await folder.list(), [
      { name: "tv_power", path: join(path, "tv_power.hex"), ...known },
      { name: "空调", path: join(path, "空调.hex"), ...NOTHING },
    ]);
  });

  it("is no folder where there is none", async () => {
    assert.equal(await new CodeFolder(join(path, "none"), () => {}).list(), undefined);
  });

  const spellings: readonly (readonly [string, unknown, readonly string[]])[] = [
    ["a list", { aliases: ["a", " b ", ""] }, ["a", "b"]],
    ["a comma string", { aliases: "a, b,,c" }, ["a", "b", "c"]],
    ["labels", { labels: ["a"] }, ["a"]],
    ["labels as a comma string", { aliases: [], labels: "a,b" }, ["a", "b"]],
    ["aliases before labels", { aliases: "a", labels: "b" }, ["a"]],
    ["none", {}, []],
    ["something else", { aliases: { a: 1 } }, []],
    ["no entry at all", "a text", []],
  ];
  for (const [name, entry, aliases] of spellings) {
    it(`understands aliases: ${name}`, async () => {
      await write("x.hex", "01");
      await write("codes_meta.json", JSON.stringify({ x: entry }));
      assert.deepEqual((await folder.info("x")).aliases, aliases);
    });
  }

  it("works without descriptions where their file is broken, and does not write over it", async () => {
    await write("x.hex", "01");
    for (const broken of ["{", "[1]", "null", ""]) {
      await write("codes_meta.json", broken);
      assert.deepEqual(await folder.info("x"), { name: "x", path: join(path, "x.hex"), ...NOTHING });
      assert.equal(logged.length > 0, true);
      const text = await failure(folder.change("x", { device: "d" }));
      assert.match(text, /^保存 codes_meta\.json 失败: 现有文件无法读取/);
      assert.equal(await read("codes_meta.json"), broken);
    }
  });

  it("changes what is given and keeps the rest, members that nobody knows included", async () => {
    await write("x.hex", "01");
    await write(
      "codes_meta.json",
      JSON.stringify({ other: { labels: "a" }, x: { colour: "red", device: "d", aliases: "a,b" } }),
    );
    const entry = { colour: "red", device: "e", aliases: "a,b", description: "text" };
    assert.deepEqual(await folder.change("x", { description: "text", device: "e", aliases: undefined }), {
      name: "x",
      path: join(path, "x.hex"),
      ...entry,
    });
    assert.deepEqual(await meta(), { other: { labels: "a" }, x: entry });
  });

  it("loses no change of many made at once", async () => {
    const names = Array.from({ length: 20 }, (_nothing, index) => `code${index}`);
    for (const name of names) await write(`${name}.hex`, "01");
    await Promise.all(names.map((name) => folder.change(name, { device: name })));
    assert.deepEqual(await meta(), Object.fromEntries(names.map((name) => [name, { device: name }])));
    assert.deepEqual(
      (await readdir(path)).filter((name) => name.endsWith(".tmp")),
      [],
    );
  });

  it("keeps a code of any harmless name", async () => {
    for (const name of ["tv power", "空调 26度", "__proto__", "constructor", "..", "-rf", "a.b", "é".repeat(125)]) {
      assert.deepEqual(await folder.save(name, CODE, { device: "d" }), { name, path: join(path, `${name}.hex`) });
      assert.equal(await read(`${name}.hex`), LONG_CODE);
      assert.deepEqual(await folder.read(name), CODE);
      assert.equal((await folder.info(name)).device, "d");
    }
    assert.deepEqual((await folder.list())?.length, 8);
  });

  it("names a code after its time where it has no name, and never replaces another", async () => {
    const [first, second] = [await folder.save(undefined, CODE, {}), await folder.save(undefined, CODE, {})];
    assert.match(first.name, /^ir_code_\d{10}$/);
    assert.notEqual(first.name, second.name);
    await assert.rejects(access(join(path, "codes_meta.json")));
  });

  const escapes = [
    "../secret",
    "..\\secret",
    "/etc/passwd",
    "a/../../secret",
    "sub/x",
    "a\0b",
    "a\nb",
    "",
    "x".repeat(252),
    "../hex/x",
    "./x",
  ];
  for (const name of escapes) {
    it(`refuses ${JSON.stringify(name.slice(0, 20))} as a name`, async () => {
      await write("x.hex", "01");
      await writeFile(join(outside, "secret.hex"), "01 02");
      const refusals = [folder.read(name), folder.info(name), folder.change(name, {}), folder.save(name, CODE, {})];
      for (const refusal of await Promise.all([...refusals, folder.prepare(name)].map(failure)))
        assert.match(refusal, /不能作为编码名称/);
      assert.deepEqual((await readdir(outside)).sort(), ["hex", "secret.hex"]);
      assert.deepEqual(await readdir(path), ["x.hex"]);
    });
  }

  it("follows a link inside the folder, and none that leads out of it", async () => {
    await writeFile(join(outside, "secret.hex"), "01 02");
    await write("x.hex", "01");
    await symlink("x.hex", join(path, "inside.hex"));
    await symlink(join(outside, "secret.hex"), join(path, "out.hex"));
    await symlink(outside, join(path, "out-folder.hex"));
    await symlink("nothing", join(path, "dead.hex"));
    assert.deepEqual(
      (await folder.list())?.map(({ name }) => name),
      ["inside", "x"],
    );
    assert.equal(hexOf(await folder.read("inside")), "01");
    for (const name of ["out", "out-folder", "dead"]) {
      const tries = [folder.read(name), folder.info(name), folder.change(name, { device: "d" })];
      for (const refusal of await Promise.all(tries.map(failure)))
        assert.equal(refusal, `未找到红外文件: ${join(path, `${name}.hex`)}`);
    }
  });

  it("replaces a link that leads out, and does not write through it", async () => {
    await writeFile(join(outside, "secret.hex"), "01 02");
    await symlink(join(outside, "secret.hex"), join(path, "out.hex"));
    await writeFile(join(outside, "meta"), "{}");
    await symlink(join(outside, "meta"), join(path, "codes_meta.json"));
    await folder.save("out", CODE, { device: "d" });
    await assert.rejects(readlink(join(path, "out.hex")));
    assert.equal(await readFile(join(outside, "secret.hex"), "utf8"), "01 02");
    assert.equal(await readFile(join(outside, "meta"), "utf8"), "{}");
  });

  it("does not wait for a pipe that somebody put there", async () => {
    await runProgram("mkfifo", [join(path, "pipe.hex")]);
    assert.match(await failure(folder.read("pipe")), /^未找到红外文件/);
    assert.deepEqual(await folder.list(), []);
  });

  it("says what is no code", async () => {
    for (const text of ["", "hello", "0", "01 2"]) {
      await write("x.hex", text);
      assert.equal(await failure(folder.read("x")), "无效的十六进制数据");
    }
    await write("x.hex", "01 ".repeat(400_000));
    assert.match(await failure(folder.read("x")), /File too large/);
  });

  it("says in the system's words why nothing can be saved", async () => {
    const file = join(outside, "file");
    await writeFile(file, "");
    const impossible = new CodeFolder(join(file, "hex"), () => {});
    assert.match(await failure(impossible.prepare(undefined)), /^无法读写 .*: Not a directory$/);
    await mkdir(join(path, "taken.hex"));
    assert.match(await failure(folder.save("taken", CODE, {})), /^无法读写 .*taken\.hex: /);
    await mkdir(join(path, "codes_meta.json"));
    assert.match(await failure(folder.save("x", CODE, {})), /^保存 codes_meta\.json 失败: /);
    assert.deepEqual(
      (await readdir(path)).filter((name) => name.endsWith(".tmp")),
      [],
    );
  });

  it("shares its files with the Python original, both ways", { skip: noPython }, async () => {
    const python = (script: string): Promise<{ code: number | null; stdout: string }> =>
      runProgram("python3", ["-c", `import json, os\nos.chdir(${JSON.stringify(path)})\n${script}`]);
    await python(`
open("tv_ok.hex", "w").write(bytes.fromhex("${LONG_CODE}").hex(" "))
json.dump({"tv_ok": {"description": "确认键", "aliases": ["确认", "OK"], "category": "tv", "device": "电视"}},
          open("codes_meta.json", "w", encoding="utf-8"), ensure_ascii=False, indent=2)`);
    assert.deepEqual(await folder.read("tv_ok"), CODE);
    assert.deepEqual(await folder.info("tv_ok"), {
      name: "tv_ok",
      path: join(path, "tv_ok.hex"),
      description: "确认键",
      aliases: ["确认", "OK"],
      category: "tv",
      device: "电视",
    });
    await folder.save("风扇", CODE, { description: 'fan "1"', aliases: [] });
    await folder.save("plain", CODE, {});
    const { code, stdout } = await python(`
text = open("codes_meta.json", encoding="utf-8").read()
meta = json.loads(text)
assert json.dumps(meta, ensure_ascii=False, indent=2) == text
assert open("风扇.hex").read() == bytes.fromhex(open("风扇.hex").read()).hex(" ")
print(json.dumps(meta))`);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      tv_ok: { description: "确认键", aliases: ["确认", "OK"], category: "tv", device: "电视" },
      风扇: { description: 'fan "1"', aliases: [] },
      plain: {},
    });
  });
});

async function failure(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => assert.fail("it did not fail"),
    (error: unknown) => failureText(error, "zh"),
  );
}
