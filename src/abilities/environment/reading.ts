/** What a thermometer says, in the members that the background service writes. */
export interface Reading {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Per cent; null where nothing measures it. */
  readonly humidity: number | null;
  /** Degrees Celsius. */
  readonly temperature: number | null;
  readonly unit: { readonly humidity: "%"; readonly temperature: "°C" };
  readonly service_status: "running";
  /** Of which kind of Linux's the sensor is, and its name. */
  readonly source: "iio" | "hwmon";
  readonly sensor: string;
}

/** In thousandths, as Linux counts them. */
export interface Measured {
  readonly sensor: string;
  readonly temperature?: number | undefined;
  readonly humidity?: number | undefined;
}

export function readingOf(source: Reading["source"], measured: Measured, now: number): Reading {
  return {
    timestamp: Math.floor(now / 1_000),
    humidity: tenths(measured.humidity),
    temperature: tenths(measured.temperature),
    unit: { humidity: "%", temperature: "°C" },
    service_status: "running",
    source,
    sensor: measured.sensor,
  };
}

/** Both at once if there is one with both, else what the first has, completed by the first that has the rest. */
export function best(all: readonly Measured[]): Measured | undefined {
  const whole = all.find(({ temperature, humidity }) => temperature !== undefined && humidity !== undefined);
  if (whole) return whole;
  const [warm, damp] = [
    all.find((each) => each.temperature !== undefined),
    all.find((each) => each.humidity !== undefined),
  ];
  const sensors = [warm, damp].flatMap((each) => (each ? [each.sensor] : []));
  if (sensors.length === 0) return undefined;
  return { sensor: sensors.join(", "), temperature: warm?.temperature, humidity: damp?.humidity };
}

/** No sensor in a house knows more digits. */
function tenths(thousandths: number | undefined): number | null {
  return thousandths === undefined ? null : Math.round(thousandths / 100) / 10;
}
