import type { Command } from "commander";
import { timestamp } from "#contract/timestamp.ts";
import { type AuditLogKey, type AuditRecord, targetName } from "#core/audit.ts";
import { newestEntries } from "#server/operator/newest-entries.ts";
import { asOperator, inStore, type Operator } from "#server/operator/operator.ts";
import { command, group, STORE_OPTION } from "../command.ts";
import { type Columns, printRows } from "../output.ts";
import { UsageError } from "../report.ts";
import { limitOption } from "../typed-values.ts";

interface ListOptions {
  readonly account?: string;
  readonly email?: string;
  readonly action?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function auditCommand(): Command {
  return group(
    "audit",
    "read the audit log, on the database itself",
    command(
      "list",
      "list what was done in a store, or to a person's sign-in and account, by whom and from where, the newest first",
      "plantstore audit list --account grower@example.com --action token --json",
      "plantstore audit list --email grower@example.com",
    )
      .option("--account <account>", STORE_OPTION)
      .option("--email <email>", "the e-mail address of a person, for what stands in their own log alone")
      .option("--action <action>", "an action such as token.created, or the first part of several, such as token")
      .addOption(limitOption("entries at most", { max: 10_000, fallback: 100 }))
      .action(async ({ account, email, action, limit, json }: ListOptions) => {
        const read = ({ reads }: Operator, log: AuditLogKey) => newestEntries(reads.audit, log, { action, limit });
        if ((email === undefined) === (account === undefined)) throw new UsageError("Give either --account or --email");
        const found =
          email === undefined
            ? await inStore(account ?? "", (operator, caller) => read(operator, caller.account))
            : await asOperator(async (operator) => read(operator, (await operator.accounts.requirePerson(email)).id));
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
