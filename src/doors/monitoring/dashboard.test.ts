/** The Grafana dashboard in examples/, held against what `/metrics` really tells. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { aSource, callEnded, monitored } from "../../../test/support/monitored.ts";
import { openDoors } from "../../../test/support/open-doors.ts";
import { PrometheusText, type Sample } from "../../../test/support/prometheus-text.ts";
import { METRICS } from "../../observe/metrics.ts";
import type { DoorContext } from "../door.ts";
import { monitoring } from "./index.ts";

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly refId: string; readonly legendFormat: string }[];
}

const FOLDER = new URL("../../../examples/grafana/", import.meta.url);
const DASHBOARD = JSON.parse(readFileSync(new URL("zaguan-dashboard.json", FOLDER), "utf8")) as {
  readonly schemaVersion: number;
  readonly title: string;
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
};
const README = readFileSync(new URL("README.md", FOLDER), "utf8");
const TARGETS = DASHBOARD.panels.flatMap(({ targets = [] }) => targets);
const VARIABLES = DASHBOARD.templating.list;

let samples: readonly Sample[];
before(async () => {
  const looked = monitored({ sources: [aSource()] });
  looked.statistics.take(callEnded());
  looked.statistics.answered("GET", "/health", 200, 1);
  const doors = await openDoors([monitoring], { context: looked as Partial<DoorContext> });
  samples = new PrometheusText((await doors.ask("/metrics")).text).samples;
  await doors.close();
});

describe("the dashboard for Grafana", () => {
  it("is one that Grafana can import", () => {
    assert.ok(DASHBOARD.schemaVersion >= 39 && DASHBOARD.title && DASHBOARD.uid);
    const ids = DASHBOARD.panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const { type, targets = [], title } of DASHBOARD.panels) {
      assert.equal(targets.length > 0, type !== "row", title);
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
    }
  });

  it("has its panels side by side, on 24 columns", () => {
    const places = new Set<string>();
    for (const { gridPos, title } of DASHBOARD.panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!places.has(`${x} ${y}`), `${title} lies on another`);
          places.add(`${x} ${y}`);
        }
      }
    }
  });

  it("asks for nothing that /metrics does not tell", () => {
    const told = new Set(samples.map(({ name }) => name));
    const kinds = new Set(METRICS.map(({ name }) => name));
    const asked = [...TARGETS.map(({ expr }) => expr), ...VARIABLES.map(({ definition = "" }) => definition)];
    assert.ok(asked.length > 20);
    for (const expr of asked) {
      for (const name of metricsIn(expr)) assert.ok(told.has(name) || isGarbage(name), `${name} in ${expr}`);
    }
    const used = new Set(asked.flatMap(metricsIn).map((name) => name.replace(/_bucket$/, "")));
    assert.ok([...kinds].filter((name) => used.has(name)).length >= 18, "most of what is told is shown");
  });

  it("groups, selects and names by labels that there are", () => {
    for (const { expr, legendFormat } of TARGETS) {
      const labels = new Set(metricsIn(expr).flatMap((name) => labelsOf(name)));
      const asked = [...labelsIn(expr), ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label)];
      for (const label of asked) assert.ok(label === "instance" || labels.has(label), `${label} in ${expr}`);
    }
  });

  it("uses only variables that it has", () => {
    const known = new Set([...VARIABLES.map(({ name }) => name), "__rate_interval"]);
    for (const [, name = ""] of JSON.stringify(DASHBOARD).matchAll(/\$\{?(\w+)/g)) assert.ok(known.has(name), name);
  });

  it("stands beside a table of all metrics", () => {
    for (const { name, type } of METRICS.filter(({ name }) => !isGarbage(name)))
      assert.ok(README.includes(`| \`${name}\` | ${type} |`), name);
  });
});

/** The collector may not have run yet, and has no sample then. */
function isGarbage(name: string): boolean {
  return name.startsWith("nodejs_gc_duration_seconds");
}

function labelsOf(name: string): string[] {
  if (isGarbage(name)) return ["kind"];
  return samples.filter((sample) => sample.name === name).flatMap(({ labels }) => Object.keys(labels));
}

const KEYWORDS = new Set(["by", "or", "and", "unless", "instance"]);

/** Names that are neither functions, labels nor words of the language. */
function metricsIn(expr: string): string[] {
  const bare = expr.replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, " ");
  return [...bare.matchAll(/\b[a-z_][a-z0-9_]*\b(?!\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !KEYWORDS.has(name));
}

function labelsIn(expr: string): string[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/,\s*/));
  const selected = [...expr.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, name = ""]) => name);
  return [...grouped, ...selected];
}
