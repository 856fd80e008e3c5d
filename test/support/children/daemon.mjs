// Leaves behind a process that has its own session and no parent, and holds our pipes open; then obeys.
import { spawn } from "node:child_process";

const script = "trap '' TERM HUP; sleep 1000 & echo $!";
spawn("sh", ["-c", script], { detached: true, stdio: "inherit" });
process.stdin.resume();
