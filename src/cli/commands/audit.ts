import type { Command } from "commander";
import { timestamp } from "#contract/timestamp.ts";
import { type AuditLogKey, type AuditRecord, targetName } from "#core/audit.ts";
import { newestEntries } from "#server/operator/newest-entries.ts";
import { asOperator, type Operator, storeNumber } from "#server/operator/operator.ts";
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
      .option("--account <account>", `${STORE_OPTION}; also the id of a removed store; every log without it`)
      .option("--email <email>", "the e-mail address of a person, for what stands in their own log alone")
      .option("--action <action>", "an action such as token.created, or the first part of several, such as token")
      .addOption(limitOption("entries at most", { max: 10_000, fallback: 100 }))
      .action(async ({ account, email, action, limit, json }: ListOptions) => {
        if (email !== undefined && account !== undefined) throw new UsageError("Give either --account or --email");
        await asOperator(async (operator) => {
          const log = await logOf(operator, account, email);
          const found = await newestEntries(operator.reads.audit, log, { action, limit });
          if (typeof log !== "object") return printRows(json, found, COLUMNS, jsonRecord);
          const whose = await names(operator);
          printRows(json, found, { ...COLUMNS, OF: whose }, (record) => ({ ...jsonRecord(record), of: whose(record) }));
        });
      }),
  );
}

/** The log of a store (a removed one by its id), of a person (one entry outlives their removal), or all logs. */
async function logOf(operator: Operator, account: string | undefined, email: string | undefined): Promise<AuditLogKey> {
  if (email !== undefined) return (await operator.accounts.removedPerson(email)) ?? (await personId(operator, email));
  if (account === undefined) return { all: true };
  const removed = (await operator.reads.stores.removed()).find(({ id }) => id === account);
  return removed?.number ?? (await storeNumber(operator, account));
}

async function personId({ accounts }: Operator, email: string): Promise<string> {
  return (await accounts.requirePerson(email)).id;
}

/** Returns a function that names an entry's log: the id of a store, removed or not, or of a person. */
async function names({ reads }: Operator): Promise<(record: AuditRecord) => string> {
  const stores = [...(await reads.stores.list()), ...(await reads.stores.removed())];
  const ids = new Map(stores.map(({ number, id }) => [number, id]));
  return ({ account, ofPerson }) =>
    account === undefined ? `person ${ofPerson}` : `store ${ids.get(account) ?? account}`;
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
