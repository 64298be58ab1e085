import { noteOutcome } from "#storage/outcomes.ts";
import { readSettings } from "../settings.ts";
import { openExisting } from "./operator.ts";

/** Notes for `plantstore status` why a command made no backup. Where the note fails too, the command's own error says enough. */
export async function noteFailedBackup(problem: string): Promise<void> {
  try {
    const storage = await openExisting(readSettings(process.env));
    await noteOutcome(storage.db, "backup", Date.now(), problem).finally(() => storage.records.close());
  } catch {}
}
