import { FairQueue } from "#load/fair-queue.ts";
import type { Counts } from "#load/throttle.ts";
import { LargeAnswers } from "./large-answer.ts";
import { LateAnswers } from "./late-answers.ts";
import { RateLimit } from "./rate-limit.ts";
import { UnfinishedBodies } from "./unfinished-bodies.ts";

/** The number of imports that wait is bounded by the memory of their bodies. */
const IMPORTS = { name: "imports", all: 1, each: 1, waiting: Infinity, waitingEach: Infinity };

export type Guards = ReturnType<typeof newGuards>;

/** Bounds of what one caller may take from the others. The number of requests is RATE_LIMIT. */
export function newGuards(requestsPerSecond: number | undefined, counts: Counts) {
  return {
    /** Undefined if it is off, which then costs nothing on any path. */
    rateLimit: requestsPerSecond === undefined ? undefined : new RateLimit(counts, requestsPerSecond),
    unfinishedBodies: new UnfinishedBodies(),
    largeAnswers: new LargeAnswers(),
    lateAnswers: new LateAnswers(),
    /** Turns of imports to parse what has arrived. */
    parseTurns: new FairQueue(IMPORTS),
    /** Turns of imports to write. A single create waits for one transaction of an import before it, however many there are. */
    writeTurns: new FairQueue(IMPORTS),
  };
}
