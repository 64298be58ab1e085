const WAIT_MS_MAX = 60_000;
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 100;

/** Waits until the sentence is true. Throws the sentence if it stays untrue for too long. */
export async function eventually(
  sentence: string,
  holds: () => Promise<boolean> | boolean,
  waitMsMax = WAIT_MS_MAX,
): Promise<void> {
  const began = Date.now();
  while (!(await holds())) {
    if (Date.now() - began > waitMsMax) throw new Error(`After ${waitMsMax} ms it is still not true that ${sentence}`);
    await pause(began);
  }
}

/** The promise; throws the sentence if it is not settled within a second, where a time limit would not say what is wrong. */
export async function promptly<T>(sentence: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`After a second it is still not true that ${sentence}`)), 1000);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits until all expectations of the check are met. Throws the last one that was not. */
export async function eventuallyPasses(check: () => Promise<void> | void, waitMsMax = WAIT_MS_MAX): Promise<void> {
  const began = Date.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() - began > waitMsMax) throw error;
    }
    await pause(began);
  }
}

/** A tenth of the time waited so far: a check costs what the tests beside it need too. */
function pause(began: number): Promise<void> {
  return Bun.sleep(Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, (Date.now() - began) / 10)));
}
