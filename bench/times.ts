/** The milliseconds that each of so many acts takes, one after the other. */
export async function timesOf(count: number, act: (at: number) => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const start = performance.now();
    await act(at);
    times.push(performance.now() - start);
  }
  return times;
}
