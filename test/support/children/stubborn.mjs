// Ignores the end of its input and SIGTERM; only SIGKILL helps.
process.on("SIGTERM", () => process.stdout.write("no\n"));
process.stdin.resume();
setInterval(() => {}, 1000);
process.stdout.write(`${process.pid}\n`);
