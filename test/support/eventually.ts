const WAIT_MS_MAX = 20_000;

/** Waits for what a sentence says, looking every few milliseconds; throws that sentence if it does not come true. */
export async function eventually(sentence: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not come true in ${WAIT_MS_MAX} ms: ${sentence}`);
    await Bun.sleep(10);
  }
}
