import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { standIn } from "../../../test/support/abilities/open-ability.ts";
import { describePlaying } from "../../../test/support/abilities/playing.ts";

const folder = mkdtempSync(join(tmpdir(), "mpv-"));
const script = fileURLToPath(new URL("../../../test/support/abilities/mpv-stand-in.mjs", import.meta.url));
const bin = standIn(folder, "mpv", `exec '${process.execPath}' '${script}' "$@"`);
after(() => rmSync(folder, { recursive: true }));

describePlaying("music by a stand-in for mpv", {
  player: join(bin, "mpv"),
  silent: [],
  broken: ["--ao=oss"],
  skip: process.platform !== "linux",
});
