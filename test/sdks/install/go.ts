/** The conformance server that the Go SDK's authors keep in its module, built by `go install` from the module proxy. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inCache, runProgram } from "./program.ts";

const VERSION = "v1.8.0";
const SERVER = `github.com/modelcontextprotocol/go-sdk/conformance/everything-server@${VERSION}`;

export async function installGo(): Promise<string> {
  const folder = inCache(`go-${VERSION}`);
  const program = join(folder, "everything-server");
  if (!existsSync(program)) await runProgram("go", ["install", SERVER], { GOBIN: folder, GOFLAGS: "" });
  return program;
}
