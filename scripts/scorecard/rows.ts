/** The rows of the scorecard: what is promised, how it is tested, and where. A table. */

export interface Row {
  readonly number: number;
  /** What a user may rely on. */
  readonly promise: string;
  /** At the lengths of `docs/scorecard.md`. */
  readonly how: string;
  /** From `test/hard`; none for what is not there yet. */
  readonly files: readonly string[];
  /** The names of its tests, where a file holds those of other rows too. */
  readonly tests?: string;
  /** Whether it counts milliseconds: such a row may be tried again where the host of a virtual machine took the processors away. */
  readonly isTimed?: boolean;
  /** After this time it has failed. */
  readonly minutes: number;
  /** The same for `--full`, where that takes longer. */
  readonly fullMinutes?: number;
}

export const ROWS: readonly Row[] = [
  {
    number: 1,
    promise: "Malformed messages end nothing, and every request that can be read is answered once",
    how: "100,000 malformed messages at each of HTTP, WebSocket and stdio, 20,000 or shares of that at the other doors (with --full 100,000), 20,000 bare connections",
    files: ["fuzz"],
    minutes: 25,
    fullMinutes: 90,
  },
  {
    number: 2,
    promise: "A call that may not be repeated runs at most once, and what is said of it is true",
    how: "10,000 calls, 32 at a time, while their stdio server is killed every 2 s; the server's ledger tells what ran",
    files: ["chaos"],
    tests: "row 2:",
    minutes: 10,
  },
  {
    number: 3,
    promise: "A harmless call to a server that dies is repeated until it succeeds, and hardly more often than needed",
    how: "10,000 read-only and idempotent calls, 32 at a time, while their stdio server is killed every 2 s",
    files: ["chaos"],
    tests: "row 3:",
    minutes: 10,
  },
  {
    number: 4,
    promise: "The same holds where the server is reached over HTTP or WebSocket and its connections are reset",
    how: "rows 2 and 3 over HTTP and over WebSocket; every 2 s all connections are reset, also in the middle of answers",
    files: ["chaos"],
    tests: "row 4:",
    minutes: 10,
  },
  {
    number: 5,
    promise: "A registry write that was acknowledged survives the sudden end of the hub",
    how: "kill -9 of the hub 20 times while eight clients write to its registry (SQLite)",
    files: ["registry-crash"],
    minutes: 10,
  },
  {
    number: 6,
    promise: "A call that was accepted for later runs once, also when the hub is killed meanwhile",
    how: "1,000 queued asynchronous calls, kill -9 five times",
    files: [],
    minutes: 10,
  },
  {
    number: 7,
    promise: "What is held does not grow with the time that the hub runs",
    how: "10 minutes of mixed calls at all doors; with --full two hours, sessions and devices that come and go, and faults every minute",
    files: ["soak"],
    minutes: 15,
    fullMinutes: 150,
  },
  {
    number: 8,
    promise: "Thousands of idle clients cost little memory, and others do not notice them",
    how: "5,000 idle WebSocket clients with keys for 60 s",
    files: ["idle-sockets"],
    isTimed: true,
    minutes: 10,
  },
  {
    number: 9,
    promise: "Event streams are bounded, and those whose client vanished are given back",
    how: "1,000 event streams, 200 more over the limit, then all of them vanish without a word",
    files: ["event-streams"],
    minutes: 10,
  },
  {
    number: 10,
    promise: "Clients that send or read too slowly are cut, and hold nobody up meanwhile",
    how: "500 clients that drip headers, 500 that drip bodies, 200 that do not read 10 MB",
    files: ["slow-clients"],
    isTimed: true,
    minutes: 10,
  },
  {
    number: 11,
    promise: "Messages that are too deep, too wide or too large are refused cheaply, from clients and from servers",
    how: "1,000 bombs at each door and from an upstream",
    files: ["bombs"],
    isTimed: true,
    minutes: 10,
  },
  {
    number: 12,
    promise: "Hostile schemas, patterns and URI templates, and servers that talk without end, do not stall others",
    how: "100 schemas, the processor time that each takes; 13 floods over stdio, HTTP and WebSocket beside a probe",
    files: ["hostile-schemas", "flooding-sources"],
    isTimed: true,
    minutes: 10,
  },
  {
    number: 13,
    promise: "Everybody gets their own answers, also where all count their requests alike",
    how: "64 clients over HTTP, in sessions and on WebSockets, 500 calls each with the same ids through one upstream; 1,000 pairs with one id at a time on one connection",
    files: ["same-ids"],
    minutes: 10,
  },
  {
    number: 14,
    promise: "Every route and door grants exactly what its table of rights says",
    how: "every principal at every route and door, forged tokens, 2,000 stolen session ids",
    files: ["rights-matrix"],
    minutes: 10,
  },
  {
    number: 15,
    promise: "No address that somebody hands in leads inside, and no registration starts a program",
    how: "80 URLs at every place that takes one, names that resolve otherwise the second time 200 times, 60 payloads at every route that writes",
    files: ["inner-addresses", "registered-commands"],
    minutes: 10,
  },
  {
    number: 16,
    promise: "A secret is seen nowhere but where it is needed",
    how: "24 canary secrets, 2,000 calls at the log level trace; every output, log, file and database is searched",
    files: ["secrets"],
    minutes: 10,
  },
  {
    number: 17,
    promise: "Nobody gets what was cached for somebody else, or what is no longer true",
    how: "two principals, 2,000 cached reads, keys swapped and revoked, 100 changed lists",
    files: ["cache-principals"],
    minutes: 10,
  },
  {
    number: 18,
    promise: "Under too much load the hub does what it can, and refuses the rest at once",
    how: "ten times the capacity for 30 s",
    files: ["overload"],
    isTimed: true,
    minutes: 10,
  },
  {
    number: 19,
    promise: "No class of callers starves the others",
    how: "one class at 120 % of the capacity, the others at 10 % each, for 60 s",
    files: ["fairness"],
    isTimed: true,
    minutes: 10,
  },
  {
    number: 20,
    promise: "A server that does not answer costs the others nothing",
    how: "one of ten upstreams is a black hole for 60 s",
    files: ["black-hole"],
    isTimed: true,
    minutes: 10,
  },
  {
    number: 21,
    promise: "What is cancelled ends at its source, at once, and is not answered late",
    how: "1,000 cancellations at all doors, in both eras, to sources of every kind",
    files: ["cancellations"],
    isTimed: true,
    minutes: 10,
  },
  {
    number: 22,
    promise: "A hub that is asked to stop finishes what runs, in its time, and leaves nothing behind",
    how: "SIGTERM with 200 calls in flight, 100 WebSockets and 100 event streams",
    files: ["stopping"],
    minutes: 10,
  },
  {
    number: 23,
    promise: "No process outlives its server's entry or the hub, also below shells and after kill -9",
    how: "200 starts, stops and replacements of servers behind a shell, kill -9 of the hub 20 times",
    files: ["orphans"],
    minutes: 10,
  },
  {
    number: 24,
    promise: "On stdio nothing but the protocol is printed, and the end of the input ends the hub",
    how: "10,000 calls at the log level trace, with warnings and servers that print on stdout",
    files: ["stdio-purity"],
    minutes: 10,
  },
  {
    number: 25,
    promise: "Several nodes serve as one hub, and go on when one of them, NATS or PostgreSQL fails",
    how: "three nodes behind a round-robin balancer: 1,000 requests of a session; nodes killed, stopped for 15 s and cut off, NATS servers killed, PostgreSQL restarted, twice each (with --full five times), while 24 clients call and one writes; the sources' own ledger tells what ran; NATS and PostgreSQL away",
    files: ["../cluster/sessions", "../cluster/ledger", "../cluster/engines-away"],
    minutes: 20,
    fullMinutes: 40,
  },
  {
    number: 26,
    promise: "The hub is ready quickly, also with many servers and after a crash",
    how: "20 starts with 50 servers, half of them after kill -9",
    files: ["cold-start"],
    isTimed: true,
    minutes: 10,
  },
];
