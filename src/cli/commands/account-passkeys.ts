import { Command } from "commander";
import { counted } from "#contract/counted.ts";
import { command } from "../command.ts";
import { asOperator } from "../operator.ts";
import { printJson, printLine, printNote, printTable } from "../output.ts";

const EMAIL = ["--email <email>", "the account's e-mail address"] as const;

interface Options {
  readonly email: string;
  readonly json?: boolean;
}

export function passkeysCommand(): Command {
  const passkeys = new Command("passkeys").description("list and remove an account's passkeys");
  passkeys.addCommand(listCommand());
  passkeys.addCommand(removeCommand());
  return passkeys;
}

function listCommand(): Command {
  return command("list", "list an account's passkeys", "plantstore account passkeys list --email grower@example.com")
    .requiredOption(...EMAIL)
    .action(async ({ email, json }: Options) => {
      const passkeys = await asOperator(({ accounts }) => accounts.listPasskeys(email));
      const rows = passkeys.map(({ id, name, createdAt }) => {
        return { id, name, created_at: new Date(createdAt).toISOString() };
      });
      if (json) return printJson(rows);
      printTable(rows, [
        { title: "NAME", value: (row) => row.name },
        { title: "ADDED", value: (row) => row.created_at },
        { title: "ID", value: (row) => row.id },
      ]);
    });
}

function removeCommand(): Command {
  return command(
    "remove",
    "remove one passkey or all of an account, end all sessions and forget trusted devices",
    "plantstore account passkeys remove --email grower@example.com",
  )
    .requiredOption(...EMAIL)
    .option("--id <id>", "one passkey, as `account passkeys list` shows it; all by default")
    .action(async ({ email, id, json }: Options & { readonly id?: string }) => {
      const { removed, left } = await asOperator(async ({ accounts, source }) => {
        const removed = await accounts.removePasskeys(email, id, source);
        return { removed, left: await accounts.stillGetsIn(await accounts.require(email)) };
      });
      if (json) {
        return printJson({
          email,
          removed: removed.map((passkey) => passkey.id),
          ...remainingRecord(left),
        });
      }
      printLine(`${email}  ${counted(removed.length, "passkey")} removed`);
      const offers = offersFor(left);
      if (offers) printNote(offers);
    });
}

interface Remaining {
  readonly activeTokens: number;
  readonly passkeys: number;
  readonly webhooks: number;
}

export function remainingRecord({ activeTokens: active_tokens, passkeys, webhooks }: Remaining) {
  return { active_tokens, passkeys, webhooks };
}

/** Everything that still works beside the password, with the command that ends it; "" if there is nothing. */
export function offersFor({ activeTokens, passkeys, webhooks }: Remaining): string {
  const tokens = `${counted(activeTokens, "token")} ("token revoke ID", or "account password --revoke-tokens")`;
  const keys = `${counted(passkeys, "passkey")} ("account passkeys remove")`;
  const access = [...(activeTokens > 0 ? [tokens] : []), ...(passkeys > 0 ? [keys] : [])].join(", ");
  const endpoints = `${counted(webhooks, "webhook endpoint")} ("account password --disable-webhooks")`;
  const offers = [
    ...(access ? [`It still gets in: ${access}.`] : []),
    ...(webhooks > 0 ? [`Events are still sent to ${endpoints}.`] : []),
  ];
  return offers.join(" ");
}
