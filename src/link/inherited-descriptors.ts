/**
 * Descriptors that whoever started this process left open. Node marks those below 16 and those before the first gap as
 * close-on-exec (libuv's `uv_disable_stdio_inheritance`); the others would reach every child. Node opens its own as
 * close-on-exec, so that an unmarked one is an inherited one. macOS passes on nothing that is not asked for.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;
const LAST_STANDARD = 2;

/** For a process that is a hub and nothing else: in somebody's program the descriptors may be in use. */
export function closeInheritedDescriptors(): void {
  for (const descriptor of openDescriptors()) {
    if (descriptor > LAST_STANDARD && wouldBeInherited(descriptor)) closeSync(descriptor);
  }
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

/** A descriptor without an entry in fdinfo has been closed since the folder was read, such as the folder's own. */
function wouldBeInherited(descriptor: number): boolean {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
