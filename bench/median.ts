/** The middle one by what `by` says of each, of which there must be at least one. */
export function median<T>(of: readonly T[], by: (value: T) => number): T {
  const middle = of.toSorted((a, b) => by(a) - by(b))[Math.floor(of.length / 2)];
  if (middle === undefined) throw new Error("There is no median of nothing");
  return middle;
}
