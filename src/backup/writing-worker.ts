import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";
import { serveThread } from "#threads/thread-side.ts";
import { enter, giveId, requireNoDrill, tryOpen } from "./database-writes.ts";

export type WritingFunctions = typeof FUNCTIONS;

const FUNCTIONS = {
  giveId,
  enter,
  requireNoDrill,
  tryOpen,
  /** Resolves with the id of this thread, which keeps the usual priority; undefined where a thread has none of its own. */
  begin(): number | undefined {
    if (process.platform !== "linux") return undefined;
    try {
      // A command that was itself started with a lower priority may raise it if it is the administrator's.
      if (getPriority() > 0) setPriority(0);
    } catch {}
    return Number(basename(readlinkSync("/proc/thread-self")));
  },
};

serveThread(() => FUNCTIONS);
