// Behaves like mpv on its socket, as far as it was seen to (mpv 0.35): answers, events and their order. Plays WAV files,
// silently and in real time. Run as `mpv [options] --input-ipc-server=PATH`.
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const args = process.argv.slice(2);
const path = args.find((arg) => arg.startsWith("--input-ipc-server=")).split("=")[1];
const hasAudio = !args.includes("--ao=oss");
const clients = new Set();
let song;
let isPaused = false;
let entry = 0;
let ending;

createServer((socket) => {
  clients.add(socket);
  socket.on("error", () => {}).on("close", () => clients.delete(socket));
  let rest = "";
  socket.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) obey(socket, JSON.parse(line));
  });
}).listen(path);

function obey(socket, { command: [name, ...rest], request_id }) {
  const answer = (members) => socket.write(`${JSON.stringify({ ...members, request_id })}\n`);
  if (name === "loadfile") {
    entry += 1;
    answer({ data: { playlist_entry_id: entry }, error: "success" });
    load(rest[0]);
  } else if (name === "get_property") {
    const data = property(rest[0]);
    answer(data === undefined ? { error: "property unavailable" } : { data, error: "success" });
  } else if (name === "set_property") {
    move(position());
    isPaused = rest[1];
    schedule();
    answer({ error: "success" });
  } else if (name === "seek" && song) {
    move(rest[0]);
    schedule();
    answer({ data: null, error: "success" });
    tell({ event: "seek" });
    tell({ event: "playback-restart" });
  } else {
    answer({ error: song ? "invalid parameter" : "error running command" });
  }
}

function load(file) {
  if (song) tell({ event: "end-file", reason: "stop", playlist_entry_id: entry - 1 });
  song = undefined;
  tell({ event: "start-file", playlist_entry_id: entry });
  const error = problemOf(file);
  if (error) return finish("error", error);
  const bytes = readFileSync(file);
  song = { duration: (bytes.length - 44) / bytes.readUInt32LE(28), from: 0, since: performance.now() };
  tell({ event: "file-loaded" });
  tell({ event: "playback-restart" });
  if (hasAudio) schedule();
  else setTimeout(() => finish("error", "audio output initialization failed"), 20);
}

function problemOf(file) {
  try {
    return readFileSync(file).toString("latin1", 0, 4) === "RIFF" ? undefined : "unrecognized file format";
  } catch {
    return "loading failed";
  }
}

function property(name) {
  if (name === "idle-active") return song === undefined;
  if (name === "pause") return isPaused;
  if (name === "current-ao") return song && hasAudio ? "null" : undefined;
  if (name === "time-pos") return song && position();
  return name === "duration" ? song?.duration : undefined;
}

function position() {
  return song && song.from + (isPaused ? 0 : (performance.now() - song.since) / 1000);
}

function move(to) {
  if (song) Object.assign(song, { from: to, since: performance.now() });
}

function schedule() {
  clearTimeout(ending);
  if (song && !isPaused) ending = setTimeout(() => finish("eof"), (song.duration - position()) * 1000);
}

function finish(reason, file_error) {
  song = undefined;
  tell({ event: "end-file", reason, playlist_entry_id: entry, ...(file_error && { file_error }) });
  tell({ event: "idle" });
}

function tell(event) {
  for (const socket of clients) socket.write(`${JSON.stringify(event)}\n`);
}
