import { Command } from "commander";
import { type AuditRecord, targetName } from "#core/audit.ts";
import { atOnce, filledPage } from "#core/reads.ts";
import { command } from "../command.ts";
import { limitOption } from "../limit-option.ts";
import { asOperator } from "../operator.ts";
import { printJson, printTable } from "../output.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 10_000;

interface ListOptions {
  readonly account: string;
  readonly action?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function auditCommand(): Command {
  const audit = new Command("audit").description("read the audit log, on the database itself");
  audit.addCommand(listCommand());
  return audit;
}

function listCommand(): Command {
  return command(
    "list",
    "list what was done to an account, by whom and from where, the newest first",
    "plantstore audit list --account grower@example.com",
    "plantstore audit list --account grower@example.com --action token --json",
  )
    .requiredOption("--account <email>", "the account's e-mail address")
    .option("--action <action>", "an action such as token.created, or the first part of several, such as token")
    .addOption(limitOption("entries at most", LIMIT_MAX, LIMIT_DEFAULT))
    .action(async ({ account: email, action, limit, json }: ListOptions) => {
      const records = await asOperator(async ({ accounts, reads }) => {
        const { number } = await accounts.require(email);
        return (await atOnce(filledPage(reads.audit, number, { action, limit }, Number.POSITIVE_INFINITY))).found;
      });
      if (json) return printJson(records.map(jsonRecord));
      printTable(records, [
        { title: "AT", value: ({ at }) => new Date(at).toISOString() },
        { title: "ACTION", value: ({ action }) => action },
        { title: "BY", value: ({ actor }) => `${actor.kind} ${actor.name}` },
        { title: "TARGET", value: (record) => [targetName(record), record.target].filter(Boolean).join(" ") },
        { title: "FROM", value: ({ address, device }) => [address, device].filter(Boolean).join(", ") },
        { title: "DETAIL", value: ({ detail }) => (detail ? JSON.stringify(detail) : "") },
      ]);
    });
}

function jsonRecord({ id, at, action, actor, target, address, device, requestId, detail }: AuditRecord) {
  const time = new Date(at).toISOString();
  return { id, at: time, action, actor, target, address, device, request_id: requestId, detail };
}
