/** Prints that both are equal, or throws. */
export function expectEqual(what: string, found: unknown, expected: unknown): void {
  if (!Bun.deepEquals(found, expected)) {
    throw new Error(
      `${what}: ${Bun.inspect(found).slice(0, 500)}, and should be ${Bun.inspect(expected).slice(0, 500)}`,
    );
  }
  console.log(`ok: ${what}`);
}
