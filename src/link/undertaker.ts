/**
 * What happens to our children when we die without a word (kill -9, out of memory): a tiny shell of its own session reads
 * from a pipe which groups there are. When the pipe ends, we are gone, and it kills them and everything that carries our
 * marker. It is started with the first child and costs nothing until then. Without `sh` there is none.
 *
 * In a cluster a source belongs to a node for a limited time, and a process that stands still (SIGSTOP) cannot end what it
 * started: there the shell also looks into a file, four times a second, and kills what has outlived its time. That needs /proc.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MARKER_VARIABLE } from "./process-group.ts";

/** Random, so that two hubs on one machine never take each other's children for theirs. */
const HUB_ID = randomBytes(8).toString("hex");
/** A helper that ended sooner than this is not started again until the next child needs one. */
const SHORT_LIFE_MS = 1000;
const MARKER_DIGITS = 9;

// Only digits come in and only hexadecimal digits and numbers are in $1, so nothing needs quoting beyond the usual.
// Reading stays inside the shell; grep and sleep run after the end only. A grep of any make takes the zero bytes of
// environ for text or for line ends, and either finds the marker. Of what has outlived its time all groups are killed before
// anything is searched for, which takes its time on a busy machine; what was killed and left nothing is left alone from then
// on, since its number may be somebody else's.
const SCRIPT = `
trap '' HUP INT QUIT TERM PIPE TSTP
groups=' '
marked() { grep -ls -- "${MARKER_VARIABLE}=$1" /proc/[0-9]*/environ 2>/dev/null; }
if [ -n "$2" ]; then
  ended=' '
  while sleep 0.25; do
    read -r up rest </proc/uptime
    due=
    while read -r id at marker; do
      [ "$at" -le "\${up%.*}\${up#*.}" ] || continue
      case $ended in *" $marker "*) continue ;; esac
      kill -s KILL -- "-$id" 2>/dev/null
      due="$due $marker"
    done <"$2/deadlines"
    for marker in $due; do
      found=
      for file in $(marked "$marker"); do
        pid=\${file#/proc/}
        kill -s KILL -- "\${pid%/environ}" 2>/dev/null && found=1
      done
      [ -n "$found" ] || ended="$ended$marker "
    done
  done &
  watcher=$!
fi
while read -r word id; do
  case $id in '' | 0* | *[!0-9]*) continue ;; esac
  case $word in
    add) groups="$groups$id " ;;
    del) case $groups in *" $id "*) groups="\${groups%% $id *} \${groups#* $id }" ;; esac ;;
  esac
done
if [ -n "$2" ]; then
  kill -s KILL "$watcher"
  rm -f -- "$2/deadlines" "$2/next"
  rmdir -- "$2"
fi
for id in $groups; do
  [ "$id" -gt 1 ] && [ "$id" -ne "$$" ] && kill -s KILL -- "-$id" 2>/dev/null
done
[ -d /proc/self ] || exit 0
for pass in 1 2 3 4 5; do
  found=
  for file in $(marked "$1[.]"); do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    [ "$pid" -gt 1 ] && [ "$pid" -ne "$$" ] && kill -s KILL -- "$pid" 2>/dev/null && found=1
  done
  [ -n "$found" ] || exit 0
  sleep 1
done
`;

/** A group that lives no longer than the lease of its source. */
interface Leased {
  readonly source: string;
  readonly marker: string;
}

const groups = new Map<number, Leased | undefined>();
/** By source: until when, in milliseconds of `performance.now()`. */
const deadlines = new Map<string, number>();
let keepsDeadlines = false;
/** Where the deadlines stand; made with the first helper, which removes it at its end. */
let folder: string | undefined;
let isWriting = false;
let helper: ChildProcess | undefined;
let helperStarted = 0;
let markers = 0;

/** A marker that no other child has. From here on the helper stands ready, so that no child is ever without it. */
export function newMarker(): string {
  if (!helper) startHelper();
  markers += 1;
  // None begins as another: the helper searches for the text.
  return `${HUB_ID}.${String(markers).padStart(MARKER_DIGITS, "0")}`;
}

/** From now on this group dies with us, and with the lease of its source where that has one. */
export function watchGroup(pgid: number, leased?: Leased): void {
  groups.set(pgid, leased);
  tell(`add ${pgid}\n`);
  if (leased && deadlines.has(leased.source)) writeDeadlines();
}

/** To be called before the first child, where sources are held for a limited time. */
export function keepDeadlines(): void {
  keepsDeadlines = process.platform === "linux";
}

/** All that runs for this source is dead at this instant of `performance.now()`, unless a later one is told before. */
export function setDeadline(source: string, at: number): void {
  deadlines.set(source, at);
  if (folder === undefined || isWriting) return;
  isWriting = true;
  // Deadlines of many sources are set in one turn: they are written once.
  setImmediate(writeDeadlines);
}

/** The source is no longer held for a limited time here. */
export function forgetDeadline(source: string): void {
  deadlines.delete(source);
}

/** On the clock of the kernel, in hundredths of a second, as /proc/uptime has it: it goes on while we stand still. */
function writeDeadlines(): void {
  isWriting = false;
  if (folder === undefined) return;
  const ahead = Number.parseFloat(readFileSync("/proc/uptime", "utf8")) * 1_000 - performance.now();
  const lines = [...groups].flatMap(([pgid, leased]) => {
    const at = leased && deadlines.get(leased.source);
    return at === undefined ? [] : `${pgid} ${Math.floor((at + ahead) / 10)} ${leased?.marker}\n`;
  });
  // In one step, so that nobody reads half of it.
  writeFileSync(join(folder, "next"), lines.join(""), { mode: 0o600 });
  renameSync(join(folder, "next"), join(folder, "deadlines"));
}

/** The group is over: its number may soon be somebody else's. */
export function releaseGroup(pgid: number): void {
  if (!groups.delete(pgid)) return;
  tell(`del ${pgid}\n`);
  // Its number may soon be somebody else's.
  if (folder !== undefined) writeDeadlines();
}

/** The helper's process, for those who look after processes; undefined while there is none. */
export function undertakerPid(): number | undefined {
  return helper?.pid;
}

function startHelper(): void {
  if (process.platform === "win32") return;
  if (keepsDeadlines) folder ??= mkdtempSync(join(tmpdir(), "zaguan-deadlines-"));
  writeDeadlines();
  // A bare environment: were we a hub's child ourselves, that hub's marker would get this helper killed before its work.
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  const args = ["-c", SCRIPT, "zaguan-undertaker", HUB_ID, ...(folder === undefined ? [] : [folder])];
  const started = spawn("/bin/sh", args, { cwd: "/", env, detached: true, stdio: ["pipe", "ignore", "ignore"] });
  started.on("error", () => {});
  started.stdin.on("error", () => {});
  if (started.pid === undefined) return;
  helper = started;
  helperStarted = performance.now();
  started.once("exit", () => replace(started));
  started.unref();
  (started.stdin as Socket).unref();
  for (const pgid of groups.keys()) tell(`add ${pgid}\n`);
}

function replace(ended: ChildProcess): void {
  if (helper !== ended) return;
  helper = undefined;
  if (groups.size > 0 && performance.now() - helperStarted > SHORT_LIFE_MS) startHelper();
}

function tell(line: string): void {
  if (helper?.stdin?.writable) helper.stdin.write(line);
}
