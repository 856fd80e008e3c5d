/** Reads Prometheus' text format strictly: what is no sample and no comment is a failure. */
import assert from "node:assert/strict";

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;

export class PrometheusText {
  readonly samples: Sample[] = [];
  readonly #types = new Map<string, string>();
  readonly #helps = new Map<string, string>();

  constructor(text: string) {
    assert.ok(text.endsWith("\n"), "the last line ends too");
    for (const line of text.split("\n")) if (line !== "") this.#take(line);
    const series = this.samples.map(({ name, labels }) => JSON.stringify([name, Object.entries(labels).sort()]));
    assert.equal(new Set(series).size, series.length, "no series stands twice");
  }

  typeOf(name: string): string | undefined {
    return this.#types.get(name);
  }

  helpOf(name: string): string | undefined {
    return this.#helps.get(name);
  }

  /** The samples of that name which have these labels, and perhaps others. */
  all(name: string, labels: Readonly<Record<string, string>> = {}): Sample[] {
    const wanted = Object.entries(labels);
    return this.samples.filter(
      (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
    );
  }

  /** Their sum; a counter that has not begun is zero. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.all(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  #take(line: string): void {
    if (!line.startsWith("#")) return void this.samples.push(sampleIn(line));
    const [, kind, name = "", text = ""] = HEAD.exec(line) ?? [];
    if (kind === "TYPE") this.#types.set(name, text);
    if (kind === "HELP") this.#helps.set(name, text);
  }
}

function sampleIn(line: string): Sample {
  const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`);
  return { name, labels: labelsIn(labels, line), value: numberIn(value, line) };
}

function labelsIn(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let place = 0;
  while (place < text.length) {
    LABEL.lastIndex = place;
    const [whole, name = "", value = ""] = LABEL.exec(text) ?? assert.fail(`no labels: ${line}`);
    labels[name] = value;
    place += whole.length;
  }
  return labels;
}

/** Prometheus takes NaN and infinity in any spelling. */
function numberIn(text: string, line: string): number {
  const infinity = /^([+-]?)inf$/i.exec(text);
  if (infinity) return infinity[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  assert.ok(!Number.isNaN(value), `no number: ${line}`);
  return value;
}
