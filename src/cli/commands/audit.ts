import type { Command } from "commander";
import { timestamp } from "#contract/timestamp.ts";
import { type AuditRecord, targetName } from "#core/audit.ts";
import { fullPage, toEnd } from "#load/in-turns.ts";
import { inStore } from "#server/operator/operator.ts";
import { group, storeCommand } from "../command.ts";
import { type Columns, printRows } from "../output.ts";
import { limitOption } from "../typed-values.ts";

interface ListOptions {
  readonly account: string;
  readonly action?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function auditCommand(): Command {
  return group(
    "audit",
    "read the audit log, on the database itself",
    storeCommand(
      "list",
      "list what was done to an account, by whom and from where, the newest first",
      "plantstore audit list --account grower@example.com",
      "plantstore audit list --account grower@example.com --action token --json",
    )
      .option("--action <action>", "an action such as token.created, or the first part of several, such as token")
      .addOption(limitOption("entries at most", { max: 10_000, fallback: 100 }))
      .action(async ({ account, action, limit, json }: ListOptions) => {
        const { found } = await inStore(account, ({ reads }, caller) =>
          toEnd(fullPage(reads.audit, caller.account, { action, limit }, Number.POSITIVE_INFINITY)),
        );
        printRows(json, found, COLUMNS, jsonRecord);
      }),
  );
}

const COLUMNS: Columns<AuditRecord> = {
  AT: ({ at }) => timestamp(at),
  ACTION: ({ action }) => action,
  BY: ({ actor }) => `${actor.kind} ${actor.name}`,
  TARGET: (record) => [targetName(record), record.target].filter(Boolean).join(" "),
  FROM: ({ address, device }) => [address, device].filter(Boolean).join(", "),
  DETAIL: ({ detail }) => (detail ? JSON.stringify(detail) : ""),
};

function jsonRecord({ id, at, action, actor, target, address, device, requestId, detail }: AuditRecord) {
  return { id, at: timestamp(at), action, actor, target, address, device, request_id: requestId, detail };
}
