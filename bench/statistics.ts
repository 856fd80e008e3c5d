/** The little statistics that the bench needs. */

/** What several rounds gave: the middle one, and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Of values in ascending order; between two of them it is as far as its share. Not a number if there are none. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: quantile(sorted, 0), max: quantile(sorted, 1) };
}

/**
 * Round by round, since what disturbed the machine in one round disturbed both in it. A round that one of them lacks is
 * left out.
 */
export function ratiosOf(values: readonly number[], bases: readonly number[]): Spread {
  const ratios = values.map((value, round) => value / (bases[round] ?? Number.NaN));
  return spreadOf(ratios.filter(Number.isFinite));
}

/** How much a series of equally spaced values grows from its beginning to its end, as a share of its mean. */
export function growthOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let along = 0;
  let squares = 0;
  values.forEach((value, place) => {
    along += (place - middle) * (value - mean);
    squares += (place - middle) ** 2;
  });
  return squares === 0 ? 0 : ((along / squares) * (values.length - 1)) / mean;
}
