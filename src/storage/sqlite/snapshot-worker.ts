import { serveThread } from "#threads/thread-side.ts";
import { CHECKS } from "./check-parts.ts";
import { holdSnapshot } from "./snapshot.ts";

export type SnapshotFunctions = typeof FUNCTIONS;

/** Holds and checks a snapshot on a thread of its own, so that its pages can be copied at the same time; or checks a file. */
const FUNCTIONS = { hold: holdSnapshot, ...CHECKS };

serveThread(() => FUNCTIONS);
