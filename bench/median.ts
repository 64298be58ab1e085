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

/** The median with the least and the most, as in "12 (10 to 15)". */
export function spread(of: readonly number[], digits = 0): string {
  const [middle, least, most] = [median(of), Math.min(...of), Math.max(...of)].map((each) => each.toFixed(digits));
  return `${middle} (${least} to ${most})`;
}
