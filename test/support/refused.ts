import { expect } from "bun:test";

const REFUSED_MS_MAX = 1000;

/** Expects an answer in the Error shape with that number and the status that belongs to it; its message begins so. */
export async function expectRefused(answer: Response, error: number, message = ""): Promise<void> {
  const { error: given, message: said, ...more } = await answer.json();
  expect([answer.status, given, more]).toEqual([Math.floor(error / 100), error, {}]);
  expect(said).toStartWith(message);
}

/**
 * Expects that a token which has just ended is refused: no request that was sent a second later is taken. The time that
 * an answer takes on a busy machine does not count.
 */
export async function expectRefusedWithinASecond(status: () => Promise<number>): Promise<void> {
  const endedAt = performance.now();
  for (;;) {
    const sentAt = performance.now();
    if ((await status()) === 401) return;
    expect(sentAt - endedAt).toBeLessThan(REFUSED_MS_MAX);
    await Bun.sleep(20);
  }
}
