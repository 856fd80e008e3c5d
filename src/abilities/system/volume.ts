/** The volume of the speaker, by whichever program the machine's sound system has: PipeWire, PulseAudio, ALSA. */
import { say } from "../../messages/catalogue.ts";
import { type Asking, type Candidate, Complaint, firstThatWorks, onlyLinux, runWell } from "../shared/programs.ts";

export interface Volume {
  /** 0 to 100; PipeWire and PulseAudio can be louder. */
  readonly volume: number;
  readonly muted: boolean;
}

interface Mixer {
  readonly program: string;
  readonly package: string;
  readonly read: readonly (readonly string[])[];
  parse(text: string): Volume | undefined;
  /** A volume that was asked for is meant to be heard: muting ends. */
  set(volume: number): readonly (readonly string[])[];
}

const WPCTL: Mixer = {
  program: "wpctl",
  package: "wireplumber",
  read: [["get-volume", "@DEFAULT_AUDIO_SINK@"]],
  parse: (text) => volumeOf(Number(/Volume:\s*([\d.]+)/.exec(text)?.[1]) * 100, text.includes("[MUTED]")),
  set: (volume) => [
    ["set-volume", "@DEFAULT_AUDIO_SINK@", (volume / 100).toFixed(2)],
    ["set-mute", "@DEFAULT_AUDIO_SINK@", "0"],
  ],
};

const PACTL: Mixer = {
  program: "pactl",
  package: "pulseaudio-utils",
  read: [
    ["get-sink-volume", "@DEFAULT_SINK@"],
    ["get-sink-mute", "@DEFAULT_SINK@"],
  ],
  parse: (text) => volumeOf(percentIn(text), /Mute:\s*yes/.test(text)),
  set: (volume) => [
    ["set-sink-volume", "@DEFAULT_SINK@", `${volume}%`],
    ["set-sink-mute", "@DEFAULT_SINK@", "0"],
  ],
};

function amixer(control: string): Mixer {
  return {
    program: "amixer",
    package: "alsa-utils",
    read: [["-M", "sget", control]],
    parse: (text) => volumeOf(percentIn(text), text.includes("[off]")),
    set: (volume) => [["-M", "-q", "sset", control, `${volume}%`, "unmute"]],
  };
}

export async function readVolume(asking: Asking, control: string): Promise<Volume> {
  return await withMixer(asking, control, async (mixer) => {
    const text = await runAll(mixer, mixer.read, asking);
    const volume = mixer.parse(text);
    if (!volume) throw new Complaint(mixer.program, say(asking.language, "ability.unexpectedOutput"));
    return volume;
  });
}

export async function setVolume(asking: Asking, control: string, volume: number): Promise<void> {
  await withMixer(asking, control, (mixer) => runAll(mixer, mixer.set(volume), asking));
}

function withMixer<T>(asking: Asking, control: string, use: (mixer: Mixer) => Promise<T>): Promise<T> {
  if (process.platform !== "linux") throw onlyLinux(asking.language);
  const candidates: Candidate<T>[] = [WPCTL, PACTL, amixer(control)].map((mixer) => ({
    program: mixer.program,
    package: mixer.package,
    run: () => use(mixer),
  }));
  return firstThatWorks(asking.language, candidates);
}

async function runAll(mixer: Mixer, steps: readonly (readonly string[])[], asking: Asking): Promise<string> {
  // Their output is parsed, so that it must be English.
  const env = { ...asking.env, LC_ALL: "C" };
  let text = "";
  for (const args of steps) text += (await runWell(mixer.program, args, asking, { env })).stdout.toString();
  return text;
}

function percentIn(text: string): number {
  return Number(/(\d+)%/.exec(text)?.[1] ?? Number.NaN);
}

function volumeOf(percent: number, muted: boolean): Volume | undefined {
  return Number.isFinite(percent) ? { volume: Math.round(percent), muted } : undefined;
}
