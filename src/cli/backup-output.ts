import type { BackupSummary } from "#server/backup-service.ts";
import { printJson, printLine, printTable } from "./output.ts";

export function printBackup(backup: BackupSummary, json: boolean | undefined, line: string): void {
  if (json) printJson(backup);
  else printLine(line);
}

export function printBackups(backups: readonly BackupSummary[], json: boolean | undefined): void {
  if (json) printJson(backups);
  else
    printTable(backups, [
      { title: "NAME", value: ({ name }) => name },
      { title: "AT", value: ({ at }) => at },
      { title: "BYTES", value: ({ bytes }) => String(bytes) },
      { title: "PLANTS", value: ({ plants }) => String(plants) },
      { title: "LAST NUMBER", value: ({ last_number }) => String(last_number) },
      { title: "VERIFIED", value: ({ verified_at }) => verified_at ?? "never" },
      { title: "ENCRYPTED", value: ({ encrypted }) => (encrypted ? "yes" : "no") },
    ]);
}
