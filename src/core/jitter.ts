/**
 * Spreads waits apart, so that processes that began or met at the same time do not stay in step: `ms` × 0.5 to 1.5, or
 * × (1 - spread) to (1 + spread).
 *
 * @param random from 0 to 1
 */
export function jittered(ms: number, random: number, spread = 0.5): number {
  return ms * (1 - spread + 2 * spread * random);
}
