const WAIT_MS_MAX = 60_000;

/**
 * Waits until the sentence is true, checking every few milliseconds. Throws the sentence if it stays untrue for too
 * long.
 */
export async function eventually(
  sentence: string,
  holds: () => Promise<boolean> | boolean,
  waitMsMax = WAIT_MS_MAX,
): Promise<void> {
  const deadline = Date.now() + waitMsMax;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`After ${waitMsMax} ms it is still not true that ${sentence}`);
    await Bun.sleep(10);
  }
}

/** Waits until all expectations of the check are met. Throws the last one that was not. */
export async function eventuallyPasses(check: () => Promise<void> | void, waitMsMax = WAIT_MS_MAX): Promise<void> {
  const deadline = Date.now() + waitMsMax;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await Bun.sleep(20);
  }
}
