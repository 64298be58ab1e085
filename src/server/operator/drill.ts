import { UnusableDatabase } from "#core/failure.ts";
import { endDrill as endDrillOf } from "#storage/drill.ts";
import { readSettings } from "../settings.ts";
import { addressOf, openExisting } from "./operator.ts";

/** Throws UnusableDatabase if the database is no copy that was restored with `--drill`. */
export async function endDrill(): Promise<void> {
  const settings = readSettings(process.env);
  const storage = await openExisting(settings);
  const wasDrill = await endDrillOf(storage).finally(() => storage.records.close());
  if (!wasDrill)
    throw new UnusableDatabase(`${addressOf(settings)} is not the copy of a drill: is DATABASE_URL that of the copy?`);
}
