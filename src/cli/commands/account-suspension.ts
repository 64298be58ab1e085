import type { Command } from "commander";
import { asOperator, inStore } from "#server/operator/operator.ts";
import { command, STORE_OPTION } from "../command.ts";
import { printResult } from "../output.ts";
import { UsageError } from "../report.ts";

interface Options {
  readonly account?: string;
  readonly email?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

/** The commands that take the use of a store, or a person's sign-in, away and give it back; nothing is removed. */
export function suspensionCommands(): Command[] {
  const suspend = command(
    "suspend",
    "answer a store's tokens and pages 403 and hold its deliveries back, or end a person's sign-in and sessions; nothing is removed",
    "plantstore account suspend --account grower@example.com --reason 'unpaid since May'",
    "plantstore account suspend --email grower@example.com",
  );
  return [
    about(suspend)
      .option("--reason <text>", "why, told with each refusal and in the audit log; for a store")
      .action(({ reason, ...named }: Options) => change(named, true, reason)),
    about(
      command(
        "resume",
        "give back what `account suspend` took; deliveries go on from where they stopped, as far as EVENTS_KEPT goes back",
        "plantstore account resume --account grower@example.com",
      ),
    ).action((named: Options) => change(named, false)),
  ];
}

function about(made: Command): Command {
  return made
    .option("--account <account>", STORE_OPTION)
    .option("--email <email>", "the e-mail address of a person, whose stores go on");
}

async function change({ account, email, json }: Options, suspended: boolean, reason?: string): Promise<void> {
  if ((email === undefined) === (account === undefined)) throw new UsageError("Give either --account or --email");
  if (email !== undefined && reason !== undefined) throw new UsageError("--reason is for a store: --account");
  const changed =
    email === undefined
      ? await inStore(account ?? "", ({ records }, caller) =>
          records.stores.suspend(caller, suspended ? { reason: reason?.trim() || undefined } : undefined),
        )
      : await asOperator(({ accounts, source }) =>
          suspended ? accounts.suspend(email, source) : accounts.resume(email, source),
        );
  const state = suspended ? "suspended" : "resumed";
  const named = email ?? account ?? "";
  printResult(json, { account, email, suspended }, `${named}  ${changed ? state : `was ${state} already`}`);
}
