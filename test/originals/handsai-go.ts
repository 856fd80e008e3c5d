/**
 * HandsAI's bridge itself, from the module registry that Go is set up with. Its module has another name than its
 * repository, so that it is built as the replacement of that name. Nothing is fetched from anywhere else.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

const MODULE = "github.com/ivanv/handsai-go-bridge";
const PUBLISHED = "github.com/Vrivaans/handsai-bridge v0.0.0-20260306151210-4ac4222fde20";
const LIMIT_MS = 120_000;

const run = promisify(execFile);

/** The program in this folder, or why it cannot be had. */
export async function goBridge(folder: string): Promise<{ readonly program: string } | { readonly missing: string }> {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "handsai-bridge");
  const lines = ["module driver", "go 1.24.5", `require ${MODULE} v0.0.0`, `replace ${MODULE} => ${PUBLISHED}`, ""];
  writeFileSync(join(folder, "go.mod"), lines.join("\n"));
  try {
    const { stdout } = await run("go", ["env", "GOPROXY"]);
    const env = { ...process.env, GOPROXY: registriesIn(stdout.trim()), GOFLAGS: "-mod=mod" };
    await run("go", ["build", "-o", program, MODULE], { cwd: folder, env, timeout: LIMIT_MS });
    return { program };
  } catch (cause) {
    return { missing: reasonOf(cause) };
  }
}

/** Without "direct", which would fetch a repository. */
function registriesIn(proxies: string): string {
  return proxies.replace(/[,|]?direct$/, "") || "off";
}

function reasonOf(cause: unknown): string {
  const { code, stderr, message } = cause as { code?: unknown; stderr?: string; message: string };
  if (code === "ENOENT") return "go is not installed";
  const lines = (stderr || message).trim().split("\n");
  return `the module cannot be had: ${lines.at(-1)?.trim()}`;
}
