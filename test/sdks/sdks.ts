/**
 * The SDKs whose conformance servers are run, and how each comes onto this machine. Go and Python bring the server of their
 * authors along; for TypeScript and Rust, whose packages have none, there is one of ours.
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { installGo } from "./install/go.ts";
import { installPython } from "./install/python.ts";
import { installRust } from "./install/rust.ts";
import type { Command } from "./server.ts";

export interface Sdk {
  readonly name: string;
  /** The revisions that it speaks, and how many scenarios of each its server passes without us. */
  readonly revisions: Readonly<Record<string, number>>;
  /** Installs what is missing; hands back how the server is started on a port. */
  install(): Promise<(port: number) => Command>;
}

export const SDKS: readonly Sdk[] = [
  { name: "typescript-2", revisions: { "2025-11-25": 33, "2026-07-28": 40 }, install: typescript("server-2.mjs") },
  { name: "typescript-1", revisions: { "2025-11-25": 33 }, install: typescript("server-1.mjs") },
  { name: "python-2", revisions: { "2025-11-25": 33, "2026-07-28": 40 }, install: python("python-2") },
  // Its server is older than the suite and lacks one tool.
  { name: "python-1", revisions: { "2025-11-25": 32 }, install: python("python-1") },
  { name: "go-stateful", revisions: { "2025-11-25": 33 }, install: go("-stateless=false") },
  // Without a session there is nobody whom its tools could ask in 2025-11-25, directly or not: four scenarios fewer.
  { name: "go-stateless", revisions: { "2025-11-25": 29, "2026-07-28": 40 }, install: go("-stateless=true") },
  { name: "rust", revisions: { "2025-11-25": 33, "2026-07-28": 40 }, install: rust("rust") },
  // An earlier one, which asks on the stream of 2026-07-28, refuses every answer there, and waits for it without end.
  { name: "rust-3-1", revisions: { "2025-11-25": 33, "2026-07-28": 40 }, install: rust("rust-3-1") },
];

/** Its packages are those of the folder's own lock file; `npm run test:sdks` has installed them. */
function typescript(server: string): Sdk["install"] {
  const file = fileURLToPath(new URL(`./typescript/${server}`, import.meta.url));
  return async () => (port) => ({ command: process.execPath, args: [file, String(port)] });
}

function python(folder: string): Sdk["install"] {
  return async () => {
    const [command, file] = await installPython(folder);
    return (port) => ({ command, args: [file, "--port", String(port)] });
  };
}

function go(form: string): Sdk["install"] {
  return async () => {
    const command = await installGo();
    return (port) => ({ command, args: ["-http", `127.0.0.1:${port}`, form] });
  };
}

function rust(manifest: string): Sdk["install"] {
  return async () => {
    const [command, definitions] = await installRust(manifest);
    return (port) => ({ command, args: [String(port), definitions] });
  };
}
