import { expect, test } from "bun:test";
import { join } from "node:path";
import type { SummingLog } from "#observability/log.ts";
import { markDrill } from "#storage/drill.ts";
import { openStorage } from "#storage/open.ts";
import { temporaryFolder } from "#test/support/service.ts";
import type { Settings } from "../settings.ts";
import { NO_BACKUPS } from "./backup-jobs.ts";
import { quietInDrill } from "./drill.ts";

test.each([true, false])(
  "a database that is reached only after the start is asked before anything is sent (a copy of a drill: %p)",
  async (isDrill) => {
    const storage = await openStorage(`sqlite:${join(temporaryFolder(), "plantstore.db")}`);
    if (isDrill) await markDrill(storage.db);
    const warned: string[] = [];
    const log = { always: { warn: (_: unknown, text: string) => void warned.push(text) } } as unknown as SummingLog;
    const away = { ...storage, ready: new Promise<void>(() => {}) };
    const { quiet } = await quietInDrill(away, log, { settings: {} as Settings, backups: NO_BACKUPS });
    let runs = 0;
    const [job] = quiet([{ name: "mail", intervalMs: 1000, run: async () => void runs++ }]);
    for (const now of [1, 2]) await job?.run({ now, signal: AbortSignal.timeout(1000) });
    expect([runs, warned.length]).toEqual(isDrill ? [0, 1] : [2, 0]);
    await storage.records.close();
  },
);
