import type { AuditAction } from "#core/audit.ts";
import type { Caller } from "#core/caller.ts";
import type { Reads } from "#core/reads.ts";
import { drillSince, markDrill, markRestored } from "#storage/drill.ts";
import { openStorage } from "#storage/open.ts";
import { DATABASE_ID } from "#storage/sqlite/snapshot.ts";

export interface BackupEntry {
  /** The path of the SQLite file. */
  readonly database: string;
  readonly action: Extract<AuditAction, "backup.made" | "backup.restored">;
  readonly source: Caller;
  readonly backup: { readonly name: string; readonly plants: number; readonly encrypted: boolean };
}

/** Gives the database the random id by which its backups name it. */
export async function giveId(database: string): Promise<void> {
  const { records } = await openStorage(`sqlite:${database}`, { migrates: false });
  await records.keptSecret(DATABASE_ID, () => crypto.randomUUID()).finally(() => records.close());
}

/** How a restored copy differs from its original, before it gets its name. */
export interface CopyOptions {
  /** True for a copy on which a service calls nobody. */
  readonly drill: boolean;
  /** True for another database, whose backups do not mix with those of the original. */
  readonly newId: boolean;
}

/** Marks the restored file as a copy of that backup. */
export async function prepareCopy(path: string, backup: string, { drill, newId }: CopyOptions): Promise<void> {
  const { db, records } = await openStorage(`sqlite:${path}`, { isCommand: true });
  try {
    await markRestored({ db }, backup);
    if (drill) await markDrill(db);
    if (newId)
      await db
        .updateTable("kept_secrets")
        .set({ value: crypto.randomUUID() })
        .where("name", "=", DATABASE_ID)
        .execute();
  } finally {
    await records.close();
  }
}

/** Throws if the database is the copy of a drill, whose backups would count as those of the original. */
export async function requireNoDrill(database: string): Promise<void> {
  const { db, records } = await openStorage(`sqlite:${database}`, { isCommand: true, migrates: false });
  const since = await drillSince(db).finally(() => records.close());
  if (since !== undefined)
    throw new Error(
      `${database} is the copy of a drill, of which no backups are made: \`plantstore drill end\` ends that`,
    );
}

/**
 * Records in the audit log of each account in the database that its data was backed up or restored. If that fails, the
 * backup or the restored file remains, and the error says so.
 */
export async function enter({ database, action, source, backup }: BackupEntry): Promise<void> {
  const { name, plants, encrypted } = backup;
  const entry = { ...source, action, target: name, detail: { plants, encrypted } };
  try {
    const rights = { isCommand: true, migrates: false };
    const { records, reads, audit } = await openStorage(`sqlite:${database}`, rights);
    try {
      const entries = (await reads.stores.list()).map(({ number }) => ({ ...entry, account: number }));
      // Units are small enough for creates to run between them.
      for (let start = 0; start < entries.length; start += 500) {
        await audit.runAudited([], entries.slice(start, start + 500));
      }
    } finally {
      await records.close();
    }
  } catch (cause) {
    const done = action === "backup.made" ? "was made" : "was restored";
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name} ${done}, but that could not be entered in the audit log: ${reason}`, { cause });
  }
}

/** Opens a restored file with this release's migrations, and reads some plants of its accounts. */
export async function tryOpen(database: string): Promise<void> {
  const { records, reads } = await openStorage(`sqlite:${database}`, { upgrades: true });
  await readSome(reads).finally(() => records.close());
}

async function readSome({ stores, plants }: Reads): Promise<void> {
  let left = 100;
  for (const { number } of await stores.list()) {
    if (left === 0) return;
    const query = { order: "id", limit: left, tag: undefined, q: undefined, after: undefined } as const;
    left -= (await plants.list(number, query)).plants.length;
  }
}
