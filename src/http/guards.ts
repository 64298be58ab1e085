import type { Counts } from "#load/throttle.ts";
import { LargeAnswers } from "./large-answer.ts";
import { LateAnswers } from "./late-answers.ts";
import { RateLimit } from "./rate-limit.ts";
import { UnfinishedBodies } from "./unfinished-bodies.ts";

export type Guards = ReturnType<typeof newGuards>;

/** Bounds of what one caller may take from the others. The number of requests is RATE_LIMIT. */
export function newGuards(requestsPerSecond: number | undefined, counts: Counts) {
  return {
    /** Undefined if it is off, which then costs nothing on any path. */
    rateLimit: requestsPerSecond === undefined ? undefined : new RateLimit(counts, requestsPerSecond),
    unfinishedBodies: new UnfinishedBodies(),
    largeAnswers: new LargeAnswers(),
    lateAnswers: new LateAnswers(),
  };
}
