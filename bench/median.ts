/** The item whose value by `by` is the median. There must be at least one item. */
export function median<T>(of: readonly T[], by: (value: T) => number = Number): T {
  const middle = of.toSorted((a, b) => by(a) - by(b))[Math.floor(of.length / 2)];
  if (middle === undefined) throw new Error("There is no median of nothing");
  return middle;
}

/** The value that this share of all does not exceed. */
export function quantile(of: readonly number[], share: number): number {
  return of.toSorted((a, b) => a - b)[Math.floor(of.length * share)] ?? Number.NaN;
}
