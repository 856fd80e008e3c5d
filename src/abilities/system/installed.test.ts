import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readDesktopEntry, splitExec } from "./installed.ts";

const ENTRY = `# a comment
[Desktop Action new]
Name=Not this one
[Desktop Entry]
Type=Application
Name=Text Editor
Name[zh_CN]=文本编辑器
Name[es]=Editor de textos
Exec="/opt/my editor/run" --new-window %U
Path=/opt
[Desktop Action other]
Name=Nor this one
Exec=nothing
`;

describe("a .desktop file", () => {
  it("gives names and the command in words, from its main group alone", () => {
    assert.deepEqual(readDesktopEntry("org.x.Editor", ENTRY), {
      id: "org.x.Editor",
      name: "Text Editor",
      names: { zh_CN: "文本编辑器", es: "Editor de textos" },
      command: "/opt/my editor/run",
      args: ["--new-window"],
      folder: "/opt",
    });
  });

  for (const line of ["NoDisplay=true", "Hidden=true", "Terminal=true"]) {
    it(`is no application to start with ${line}`, () => {
      assert.equal(readDesktopEntry("x", ENTRY.replace("Path=/opt", line)), undefined);
    });
  }

  it("is none if it is a link, or if its command line is broken", () => {
    assert.equal(readDesktopEntry("x", ENTRY.replace("Type=Application", "Type=Link")), undefined);
    assert.equal(readDesktopEntry("x", ENTRY.replace('run"', "run")), undefined);
    assert.equal(readDesktopEntry("x", ENTRY.replace(/^Exec=.*run.*$/m, "Exec=%U")), undefined);
    assert.equal(readDesktopEntry("x", ""), undefined);
  });
});

describe("a command line of a .desktop file", () => {
  const lines: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["firefox %u", ["firefox"]],
    ["app --name %c --file=%f", ["app", "--name", "The App", "--file="]],
    ["app 100%% %i %k", ["app", "100%"]],
    ['app "a b" "say \\"hi\\"" "\\$HOME"', ["app", "a b", 'say "hi"', "$HOME"]],
    ["app; rm -rf $HOME `id` $(id) | x > y", ["app;", "rm", "-rf", "$HOME", "`id`", "$(id)", "|", "x", ">", "y"]],
    ['app "open', undefined],
  ];
  for (const [line, words] of lines) {
    it(line, () => assert.deepEqual(splitExec(line, "The App"), words));
  }
});
