import type { BenchServer } from "./bench-server.ts";
import type { LoadResult } from "./load.ts";
import { median, spread } from "./median.ts";
import { processorSeconds } from "./processor-time.ts";

export interface Measured extends LoadResult {
  /** The server's processor time of an answer, in microseconds. */
  readonly processorUs: number;
}

/**
 * What each server does in each round, one after the other while the others are paused: a busy moment of the machine, or work
 * that another server still has to do, affects one round only. A first round, which warms up, is left out.
 */
export async function inTurn<Name extends string, Result>(
  servers: Readonly<Record<Name, BenchServer>>,
  rounds: number,
  measure: (name: Name) => Promise<Result>,
): Promise<Record<Name, Result>[]> {
  const measured: Record<Name, Result>[] = [];
  const names = Object.keys(servers) as Name[];
  for (let round = 0; round <= rounds; round++) {
    const results = {} as Record<Name, Result>;
    for (const name of names) {
      const others = names.filter((other) => other !== name).map((other) => servers[other].pid);
      for (const pid of others) process.kill(pid, "SIGSTOP");
      try {
        results[name] = await measure(name);
      } finally {
        for (const pid of others) process.kill(pid, "SIGCONT");
      }
    }
    if (round > 0) measured.push(results);
  }
  return measured;
}

/** A load of a server with the processor time that it spends on an answer. */
export async function timed({ pid }: BenchServer, load: () => Promise<LoadResult>): Promise<Measured> {
  const before = processorSeconds(pid);
  const result = await load();
  return { ...result, processorUs: (1e6 * (processorSeconds(pid) - before)) / result.requests };
}

/** The median of a ratio over the rounds, the round that has it, and the median with its range. */
export function ratioOf<Round>(rounds: readonly Round[], of: (round: Round) => number) {
  const round = median(rounds, of);
  return { value: of(round), round, range: spread(rounds.map(of), 2) };
}
