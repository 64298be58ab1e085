import type { BenchServer } from "./bench-server.ts";

/** Milliseconds. */
export interface Times {
  readonly p50: number;
  readonly worst: number;
}

/** The times of requests that follow one another, each to the address that `path` gives. */
export async function timesOf(
  { url }: BenchServer,
  headers: Record<string, string>,
  requests: number,
  path: () => string,
): Promise<Times> {
  const times: number[] = [];
  for (let at = 0; at < requests; at++) {
    const address = url + path();
    const start = performance.now();
    const answer = await fetch(address, { headers });
    await answer.arrayBuffer();
    times.push(performance.now() - start);
    if (!answer.ok) throw new Error(`${address} was answered ${answer.status}`);
  }
  return summary(times);
}

export function summary(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: sorted[Math.floor(sorted.length / 2)] ?? 0, worst: sorted.at(-1) ?? 0 };
}
