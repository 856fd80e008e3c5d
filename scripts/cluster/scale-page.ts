/** Generates the tables of docs/scale.md from the figures. Each stands between a comment with its name and `<!-- end -->`. */
import type { Spread } from "../../bench/statistics.ts";
import type { ScalePhase } from "../../test/simulation/scale.ts";
import { ASSUMED, idleMicroseconds, kilobytes, memoryOf, percent, resourcesOf, rough, WANTED } from "./estimates.ts";
import type { ClusterFigures } from "./figures.ts";

const PARTS: Readonly<Record<string, (figures: ClusterFigures) => string>> = {
  circumstances: ({ measured, simulated }) => `${madeOf("Measured", measured)} ${madeOf("Simulated", simulated)}`,
  calls: callTable,
  costs: costTable,
  simulated: simulatedTable,
  machine: machineTable,
  breaks: breakTable,
  needs: needTable,
};

/** The page with all generated parts replaced. */
export function withFigures(page: string, figures: ClusterFigures): string {
  return page.replace(/(<!-- (?!end)(\w+) -->\n)[\s\S]*?(?=<!-- end -->)/g, (whole, head: string, name: string) => {
    const make = PARTS[name];
    return make ? `${head}\n${make(figures)}\n\n` : whole;
  });
}

function madeOf(what: string, made: ClusterFigures["measured"] | ClusterFigures["simulated"]): string {
  const { date, commit, cores, processor, node, loadBefore } = made;
  return `${what} ${date} at ${commit} on ${cores} cores (${processor}, shared with other machines), Node ${node}, load ${loadBefore.toFixed(1)} before the start.`;
}

function callTable({ measured: { calls, revocation, start } }: ClusterFigures): string {
  const { local, forwarded, throughputRatio, addedMs, connections } = calls;
  return table(
    ["", "local", "forwarded", "", "goal"],
    [
      [
        `calls a second, ${connections} connections`,
        spread(local.perSecond, 0),
        spread(forwarded.perSecond, 0),
        `**${spread(throughputRatio, 2)}** of it`,
        "≥ 0.6",
      ],
      [
        "median, one call at a time, ms",
        spread(local.medianMs, 2),
        spread(forwarded.medianMs, 2),
        `**+${spread(addedMs, 2)}**`,
        "≤ +0.6",
      ],
      ["99th percentile, one call at a time, ms", spread(local.p99Ms, 2), spread(forwarded.p99Ms, 2), "", ""],
      [
        `a revoked key is refused, ms (${revocation.rounds} times)`,
        `here ${spread(revocation.hereMs, 0)}`,
        `at all ${revocation.nodes} nodes **${spread(revocation.everywhereMs, 0)}**`,
        "",
        "≤ 2,000",
      ],
      [
        "a node's start, ms",
        `empty ${spread(start.emptyMs, 0)}`,
        `${count(start.sources)} sources **${spread(start.fullMs, 0)}**`,
        `all ${count(start.tools)} tools listed ${spread(start.listedMs, 0)}`,
        "",
      ],
    ],
  );
}

function costTable({ measured }: ClusterFigures): string {
  const { calls, sessions, devices, idle, leases, beat, start } = measured;
  const { local, forwarded } = calls;
  const ms = (value: number): string => `${value.toFixed(3)} ms`;
  const holder = ({ count: number, residentBytes, heldBytes, processorMicroseconds }: typeof sessions): string =>
    `${residentBytes > 0 ? `${kilobytes(residentBytes)} resident` : "no more resident memory than before"}, ${kilobytes(heldBytes)} held by JavaScript, ${processorMicroseconds < 1 ? "less than 1" : processorMicroseconds.toFixed(1)} µs of processor a second (${count(number)} over ${sessions.nodes} nodes)`;
  return table(
    ["one", "costs"],
    [
      ["local call", `${ms(local.entryMs)} of the node's processor; ${ms(local.sourceMs)} of the program's`],
      [
        "forwarded call",
        `${ms(forwarded.entryMs)} at the entry, ${ms(forwarded.ownerMs)} at the owner, ${ms(forwarded.natsMs)} at NATS, ${ms(forwarded.postgresMs)} at PostgreSQL; ${forwarded.busMessages.toFixed(2)} envelopes with ${kilobytes(forwarded.busBytes)} on the bus`,
      ],
      [
        "idle MCP session",
        `${holder(sessions)}; ${sessions.transactionsEach.toFixed(2)} transactions when it is opened`,
      ],
      ["idle device", `${holder(devices)}; ${devices.transactionsEach.toFixed(2)} transactions when it connects`],
      [
        "idle node of three",
        `${idle.processorPercent.toFixed(1)} % of a core, ${idle.residentMiB.toFixed(0)} MiB, ${idle.transactionsPerSecond.toFixed(2)} transactions a second at PostgreSQL, ${idle.busMessagesPerSecond.toFixed(1)} envelopes and ${kilobytes(idle.busBytesPerSecond)} a second to NATS`,
      ],
      [
        "engines beside three idle nodes",
        `NATS ${idle.natsPercent.toFixed(1)} % of a core, PostgreSQL ${idle.postgresPercent.toFixed(1)} %`,
      ],
      [
        "heartbeat",
        `${beat.sendMicroseconds.toFixed(0)} µs to send, ${beat.hearMicroseconds.toFixed(0)} µs to receive`,
      ],
      [
        "renewed lease, in a statement with a thousand",
        `${leases.renewMicroseconds.toFixed(1)} µs of PostgreSQL's processor, ${leases.renewLogBytes.toFixed(0)} bytes of its log; this machine renewed ${count(leases.renewedPerSecond)} a second`,
      ],
      ["claimed lease", `${leases.claimMicroseconds.toFixed(1)} µs of PostgreSQL's processor`],
      ["registered server with ten tools", `${kilobytes(start.heldBytesEach)} at every node`],
    ],
  );
}

function simulatedTable({ simulated }: ClusterFigures): string {
  const seconds = (value: number | undefined): string => (value === undefined ? "never" : `${value.toFixed(1)} s`);
  const row = (phase: ScalePhase): string[] => [
    phase.what,
    seconds(phase.ownedAfterSeconds),
    seconds(phase.settledAfterSeconds),
    `${count(phase.taken)} (${((phase.taken / simulated.sources) * 100).toFixed(1)} %)`,
    `${phase.fullest.toFixed(2)} / ${phase.emptiest.toFixed(2)}`,
    `${count(phase.statements)}, at most ${count(phase.statementsInBusiestSecond)}/s`,
    `${count(phase.rowsInBusiestSecond)}/s`,
    `${count(phase.beatsHeard / phase.nodes / phase.seconds)} + ${count(phase.othersHeard / phase.nodes / phase.seconds)}/s`,
    `${phase.machineMsPerSecond.toFixed(1)} ms`,
  ];
  const head = [
    "what happens",
    "all owned after",
    "settled after",
    "sources that moved",
    "fullest / emptiest node, of the mean",
    "statements",
    "rows, at most",
    "beats + other messages received per node",
    "processor time of a state machine per second",
  ];
  return table(head, simulated.phases.map(row));
}

function machineTable({ simulated, measured }: ClusterFigures): string {
  const { nodes, sources, tableMs, machineMiB, machineWithOwnersMiB, sourceListMiB } = simulated;
  const idle = simulated.phases.find(({ what }) => what === "nothing happens");
  const beats = idle ? idle.beatsHeard / idle.nodes / idle.seconds : 0;
  return table(
    [`of one of ${count(nodes)} nodes with ${count(sources)} sources`, ""],
    [
      ["its state machine, with its own leases", `${machineMiB.toFixed(1)} MiB`],
      ["the same with its cache of owners, at most 100,000", `${machineWithOwnersMiB.toFixed(1)} MiB`],
      ["its list of all sources, only names", `${sourceListMiB.toFixed(0)} MiB`],
      ["a new table of slots, when a node comes or goes", `${tableMs.toFixed(0)} ms without a break`],
      [
        "heartbeats that it receives",
        `${beats.toFixed(0)} a second, ${((beats * measured.beat.hearMicroseconds) / 1e4).toFixed(1)} % of a core`,
      ],
    ],
  );
}

function breakTable(figures: ClusterFigures): string {
  const rows = resourcesOf(figures).map(({ name, unit, carries, wanted, how, isPlanned }) => [
    isPlanned ? `${name} *` : name,
    `**${rough(carries)}** ${unit}`,
    carries < wanted
      ? `${(wanted / carries).toFixed(1)} times too little`
      : `${(carries / wanted).toFixed(1)} times enough`,
    how,
  ]);
  return table(
    [
      "resource",
      "capacity",
      `of ${rough(WANTED.devices)} devices, ${rough(WANTED.callsPerSecond)} calls a second`,
      "calculated from",
    ],
    rows,
  );
}

function needTable({ measured, simulated }: ClusterFigures): string {
  const { calls, devices, sessions, beat, idle, leases } = measured;
  const { forwarded, local } = calls;
  const { nodes, devices: wanted, callsPerSecond } = WANTED;
  const cores = (ms: number): number => (callsPerSecond * ms) / 1_000;
  const beats = (nodes - 1) * 4;
  const perNode = wanted / nodes;
  const rows = [
    [
      "nodes' processors, every call forwarded",
      `${cores(forwarded.entryMs + forwarded.ownerMs).toFixed(0)} cores busy, so ${Math.ceil(cores(forwarded.entryMs + forwarded.ownerMs) / ASSUMED.busyShare)} nodes at ${percent(ASSUMED.busyShare)}`,
    ],
    [
      "nodes' processors, no call forwarded (sources by URL)",
      `${cores(local.entryMs).toFixed(0)} cores busy, so ${Math.ceil(cores(local.entryMs) / ASSUMED.busyShare)} nodes`,
    ],
    [
      "NATS, every call forwarded",
      `${cores(forwarded.natsMs).toFixed(0)} cores, ${rough(callsPerSecond * forwarded.busMessages)} envelopes and ${rough((callsPerSecond * forwarded.busBytes) / 1e6)} MB a second in, as much out`,
    ],
    ["PostgreSQL, for calls", `${cores(forwarded.postgresMs).toFixed(1)} cores: a call needs nothing of it`],
    [
      "memory of a node for its own devices",
      `${((perNode * memoryOf(devices)) / 2 ** 30).toFixed(2)} GiB for ${rough(perNode)} devices`,
    ],
    [
      "the same for as many sessions",
      `${((perNode * memoryOf(sessions)) / 2 ** 30).toFixed(2)} GiB for ${rough(perNode)} sessions`,
    ],
    ["processor of a node for idle devices", `${percent((perNode * idleMicroseconds(devices)) / 1e6)} of a core`],
    [
      "heartbeats",
      `${beats} a second at each node, ${((beats * beat.hearMicroseconds) / 1e4).toFixed(1)} % of a core; ${rough(beats * nodes)} a second at NATS`,
    ],
    [
      "PostgreSQL, for idle nodes without sources",
      `${rough(nodes * idle.transactionsPerSecond)} transactions a second`,
    ],
    [
      "PostgreSQL, with a lease for each device *",
      `${rough(wanted / 3)} rows a second, ${((wanted / 3) * leases.renewMicroseconds * 1e-6).toFixed(0)} cores, ${rough(((wanted / 3) * leases.renewLogBytes) / 1e6)} MB of log a second`,
    ],
    ["connections to PostgreSQL", `up to ${6 * nodes}: six for each node`],
    [`a list of ${rough(simulated.sources)} names at each node *`, `${simulated.sourceListMiB.toFixed(0)} MiB`],
  ];
  return table([`${nodes} nodes, ${rough(wanted)} devices, ${rough(callsPerSecond)} calls a second`, "needs"], rows);
}

function spread({ median, min, max }: Spread, digits: number): string {
  const shown = (value: number): string => (digits === 0 ? count(value) : value.toFixed(digits));
  return `${shown(median)} (${shown(min)}–${shown(max)})`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
