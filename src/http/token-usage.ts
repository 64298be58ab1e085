import { LATENCY_BUCKETS, latencyBucket } from "#core/latency.ts";
import type { EndedRequest } from "#core/request.ts";
import type { Token } from "#core/token.ts";
import { type LatencyCount, OUTCOME_CREATED, OUTCOME_OTHER, type UsageCount } from "#core/usage.ts";

/** The members of a request that are counted. */
export type Counted = Pick<EndedRequest, "created" | "errorNumber" | "durationMs" | "apiVersion">;

/** Counts a token's answers and their times in memory, with a few additions for each request. */
export class TokenUsage {
  #created = 0;
  #other = 0;
  #refused: Map<number, number> | undefined;
  #latencies = new Map<string, Uint32Array>();

  count({ created, errorNumber, durationMs, apiVersion }: Counted): void {
    this.#created += created;
    if (errorNumber !== undefined) this.#countRefusal(errorNumber);
    else if (created === 0) this.#other++;
    const latencies = this.#latencies.get(apiVersion) ?? this.#newLatencies(apiVersion);
    const bucket = latencyBucket(durationMs);
    latencies[bucket] = (latencies[bucket] ?? 0) + 1;
  }

  /** The counts since the last call. For a token of the dashboard only the plants it created are counted. */
  take(token: Token, at: number): UsageCount[] {
    const taken: [outcome: number, count: number][] = token.session !== undefined ? [] : [...(this.#refused ?? [])];
    if (this.#created > 0) taken.push([OUTCOME_CREATED, this.#created]);
    if (this.#other > 0 && token.session === undefined) taken.push([OUTCOME_OTHER, this.#other]);
    this.#created = this.#other = 0;
    this.#refused = undefined;
    const id = token.session === undefined ? token.id : undefined;
    return taken.map(([outcome, count]) => ({ account: token.account, token: id, at, outcome, count }));
  }

  takeLatencies({ account, id, session }: Token, at: number): LatencyCount[] {
    const taken: LatencyCount[] = [];
    const token = session === undefined ? id : undefined;
    for (const [version, counts] of this.#latencies) {
      for (const [bucket, count] of counts.entries()) {
        if (count > 0) taken.push({ account, token, version, at, bucket, count });
      }
    }
    this.#latencies = new Map();
    return taken;
  }

  #newLatencies(version: string): Uint32Array {
    const latencies = new Uint32Array(LATENCY_BUCKETS);
    this.#latencies.set(version, latencies);
    return latencies;
  }

  #countRefusal(error: number): void {
    this.#refused ??= new Map();
    this.#refused.set(error, (this.#refused.get(error) ?? 0) + 1);
  }
}
