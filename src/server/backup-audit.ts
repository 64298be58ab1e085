import type { AuditAction, AuditEntry, AuditSource } from "#core/audit.ts";
import { openStorage } from "#storage/open.ts";
import type { BackupSummary } from "./backup-service.ts";
import type { CommandObserver } from "./command-observer.ts";

/** The number of entries in one unit of work: few enough that creates pass between two units. */
const ENTRIES_MAX = 500;

interface BackupActor {
  readonly source: AuditSource;
  readonly entries: CommandObserver;
}

/**
 * Records in the audit log of each account in the database that its data was backed up or restored. If that fails, the
 * backup or the restored file remains, and the error says so.
 */
export async function enterBackup(
  databasePath: string,
  action: Extract<AuditAction, "backup.made" | "backup.restored">,
  { name, plants, encrypted }: BackupSummary,
  { source, entries }: BackupActor,
): Promise<void> {
  const entry = { ...source, action, target: name, detail: { plants, encrypted } };
  await enter(databasePath, entry, entries).catch((cause) => {
    const done = action === "backup.made" ? "was made" : "was restored";
    throw new Error(`${name} ${done}, but that could not be entered in the audit log: ${cause.message}`, { cause });
  });
}

async function enter(
  databasePath: string,
  entry: Omit<AuditEntry, "account">,
  reported: CommandObserver,
): Promise<void> {
  const { store, audit } = await openStorage(`sqlite:${databasePath}`, { observer: reported.observer });
  try {
    const accounts = await store.accounts.list();
    const entries = accounts.map(({ number }) => ({ ...entry, account: number }));
    for (let start = 0; start < entries.length; start += ENTRIES_MAX) {
      await audit.keep([], entries.slice(start, start + ENTRIES_MAX));
    }
  } finally {
    await reported.write();
    await store.close();
  }
}
