const WAIT_MS_MAX = 20_000;

/** Waits until the sentence is true, looking every few milliseconds. Throws the sentence if it stays untrue for too long. */
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
