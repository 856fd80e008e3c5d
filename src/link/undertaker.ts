/**
 * What happens to our children when we die without a word (kill -9, out of memory): a tiny shell of its own session reads
 * from a pipe which groups there are. When the pipe ends, we are gone, and it kills them and everything that carries our
 * marker. It is started with the first child and costs nothing until then. Without `sh` there is none.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { MARKER_VARIABLE } from "./process-group.ts";

/** Random, so that two hubs on one machine never take each other's children for theirs. */
const HUB_ID = randomBytes(8).toString("hex");
/** A helper that ended sooner than this is not started again until the next child needs one. */
const SHORT_LIFE_MS = 1000;

// Only digits come in and only hexadecimal digits and numbers are in $1, so nothing needs quoting beyond the usual.
// Reading stays inside the shell; grep and sleep run after the end only. A grep of any make takes the zero bytes of
// environ for text or for line ends, and either finds the marker.
const SCRIPT = `
trap '' HUP INT QUIT TERM PIPE TSTP
groups=' '
while read -r word id; do
  case $id in '' | 0* | *[!0-9]*) continue ;; esac
  case $word in
    add) groups="$groups$id " ;;
    del) case $groups in *" $id "*) groups="\${groups%% $id *} \${groups#* $id }" ;; esac ;;
  esac
done
for id in $groups; do
  [ "$id" -gt 1 ] && [ "$id" -ne "$$" ] && kill -s KILL -- "-$id" 2>/dev/null
done
[ -d /proc/self ] || exit 0
for pass in 1 2 3 4 5; do
  found=
  for file in $(grep -ls -- "${MARKER_VARIABLE}=$1[.]" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    [ "$pid" -gt 1 ] && [ "$pid" -ne "$$" ] && kill -s KILL -- "$pid" 2>/dev/null && found=1
  done
  [ -n "$found" ] || exit 0
  sleep 1
done
`;

const groups = new Set<number>();
let helper: ChildProcess | undefined;
let helperStarted = 0;
let markers = 0;

/** A marker that no other child has. From here on the helper stands ready, so that no child is ever without it. */
export function newMarker(): string {
  if (!helper) startHelper();
  markers += 1;
  return `${HUB_ID}.${markers}`;
}

/** From now on this group dies with us. */
export function watchGroup(pgid: number): void {
  groups.add(pgid);
  tell(`add ${pgid}\n`);
}

/** The group is over: its number may soon be somebody else's. */
export function releaseGroup(pgid: number): void {
  if (groups.delete(pgid)) tell(`del ${pgid}\n`);
}

/** The helper's process, for those who look after processes; undefined while there is none. */
export function undertakerPid(): number | undefined {
  return helper?.pid;
}

function startHelper(): void {
  if (process.platform === "win32") return;
  // A bare environment: were we a hub's child ourselves, that hub's marker would get this helper killed before its work.
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  const args = ["-c", SCRIPT, "zaguan-undertaker", HUB_ID];
  const started = spawn("/bin/sh", args, { cwd: "/", env, detached: true, stdio: ["pipe", "ignore", "ignore"] });
  started.on("error", () => {});
  started.stdin.on("error", () => {});
  if (started.pid === undefined) return;
  helper = started;
  helperStarted = performance.now();
  started.once("exit", () => replace(started));
  started.unref();
  (started.stdin as Socket).unref();
  for (const pgid of groups) tell(`add ${pgid}\n`);
}

function replace(ended: ChildProcess): void {
  if (helper !== ended) return;
  helper = undefined;
  if (groups.size > 0 && performance.now() - helperStarted > SHORT_LIFE_MS) startHelper();
}

function tell(line: string): void {
  if (helper?.stdin?.writable) helper.stdin.write(line);
}
