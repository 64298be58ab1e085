/** Makes a system's own backups beside a steady load of creates, and counts what the backups and the database have. */
import { plantsInCatalogue } from "./catalogue.ts";
import type { BackupRound, BackupSample, Measured } from "./results.ts";
import type { Service } from "./service.ts";
import { SteadyLoad } from "./steady.ts";
import { countRows, storedIds } from "./store.ts";

const firstId = 9e12;
const rounds = 3;
/**
 * A pause before each backup, in which the work that the last one left behind ends and creates return to their usual
 * rate.
 */
const restSeconds = 2;
const beforeSecondsMax = 6;
const loadSecondsMax = 150;

/** The store must have the catalogue and nothing else. */
export async function backUp(service: Service): Promise<Omit<BackupSample, keyof Measured>> {
  const { peer, place } = service;
  const { backup } = peer;
  if (!backup) throw new Error(`${peer.title} has no backup of its own`);
  const operator = await backup.prepare(place);
  const load = new SteadyLoad(service, firstId, loadSecondsMax);
  const made: { begin: number; end: number; file: string }[] = [];
  for (let round = 0; round < rounds; round++) {
    await Bun.sleep((restSeconds + beforeSecondsMax) * 1000);
    const begin = performance.now();
    const file = await backup.create(place, operator);
    made.push({ begin, end: performance.now(), file });
  }
  await Bun.sleep(restSeconds * 1000);
  await load.stop();

  const stored = await storedIds(peer, place);
  const results: BackupRound[] = [];
  for (const { begin, end, file } of made) {
    const compared = Math.min(end - begin, beforeSecondsMax * 1000);
    results.push({
      before: load.answeredWithin(begin - compared, begin),
      during: load.underWay(begin, end),
      backupMiB: Bun.file(file).size / 2 ** 20,
      rows: await countRows({ databaseFile: await backup.open(file, place), databaseUrl: "" }),
      rowsMin: plantsInCatalogue + load.answeredBefore(begin),
      rowsMax: plantsInCatalogue + load.sentBefore(end),
    });
  }
  return { rounds: results, ...load.compared(stored) };
}
