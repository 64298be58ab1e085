import { VERSION } from "#contract/v1/version.ts";
import type { EndedRequest } from "#core/request.ts";
import type { Token } from "#core/token.ts";
import { type LatencyCount, OUTCOME_CREATED, OUTCOME_OTHER, type UsageCount } from "#core/usage.ts";
import { LATENCY_BUCKETS, latencyBucket, UNTIMED_BUCKET } from "./latency.ts";

/** The members of a request that are counted. */
export type CountedRequest = Pick<EndedRequest, "created" | "errorNumber" | "durationMs" | "isTimed">;

/** Counts a token's answers and their times in memory, with a few additions for each request. */
export class TokenUsage {
  #created = 0;
  #other = 0;
  #refused: Map<number, number> | undefined;
  /** The count of a bucket stands at its distance from the first one. */
  #latencies = newLatencies();

  count({ created, errorNumber, durationMs, isTimed }: CountedRequest): void {
    this.#created += created;
    if (errorNumber !== undefined) this.#countRefusal(errorNumber);
    else if (created === 0) this.#other++;
    const index = (isTimed ? latencyBucket(durationMs) : UNTIMED_BUCKET) - UNTIMED_BUCKET;
    this.#latencies[index] = (this.#latencies[index] ?? 0) + 1;
  }

  /** The counts since the last call. */
  drain(token: Token, at: number): UsageCount[] {
    const taken: [outcome: number, count: number][] = [...(this.#refused ?? [])];
    if (this.#created > 0) taken.push([OUTCOME_CREATED, this.#created]);
    if (this.#other > 0) taken.push([OUTCOME_OTHER, this.#other]);
    this.#created = this.#other = 0;
    this.#refused = undefined;
    return taken.map(([outcome, count]) => ({ account: token.account, token: token.id, at, outcome, count }));
  }

  /** The requests since the last call, by their times. */
  drainLatencies({ account, id: token }: Token, at: number): LatencyCount[] {
    const taken: LatencyCount[] = [];
    for (const [index, count] of this.#latencies.entries()) {
      if (count > 0) taken.push({ account, token, version: VERSION, at, bucket: index + UNTIMED_BUCKET, count });
    }
    if (taken.length > 0) this.#latencies = newLatencies();
    return taken;
  }

  #countRefusal(error: number): void {
    this.#refused ??= new Map();
    this.#refused.set(error, (this.#refused.get(error) ?? 0) + 1);
  }
}

function newLatencies(): Uint32Array {
  return new Uint32Array(LATENCY_BUCKETS - UNTIMED_BUCKET);
}
