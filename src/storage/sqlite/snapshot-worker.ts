import { serveThread } from "#load/thread-side.ts";
import { holdSnapshot } from "./snapshot.ts";

export type SnapshotFunctions = typeof FUNCTIONS;

/** Holds and checks a snapshot on a thread of its own, so that its pages can be copied at the same time. */
const FUNCTIONS = { hold: holdSnapshot };

serveThread(() => FUNCTIONS);
