import { Command } from "commander";
import { command } from "../command.ts";
import { asOperator } from "../operator.ts";
import { printJson, printLine, printNote, printTable } from "../output.ts";
import { givenPassword } from "../password.ts";
import { offersFor, passkeysCommand, remainingRecord } from "./account-passkeys.ts";

const EMAIL = ["--email <email>", "the account's e-mail address"] as const;

export function accountCommand(): Command {
  const account = new Command("account").description("make, list and remove accounts, on the database itself");
  account.addCommand(createCommand());
  account.addCommand(listCommand());
  account.addCommand(passwordCommand());
  account.addCommand(passkeysCommand());
  account.addCommand(secondFactorCommand());
  account.addCommand(deleteCommand());
  return account;
}

interface AccountOptions {
  readonly email: string;
  readonly passwordStdin?: boolean;
  readonly json?: boolean;
}

function createCommand(): Command {
  return command(
    "create",
    "make an account; prints a generated password unless one is given",
    "plantstore account create --email grower@example.com",
  )
    .requiredOption(...EMAIL)
    .option("--password-stdin", "take the password from standard input")
    .action(async ({ email, passwordStdin, json }: AccountOptions) => {
      const password = await givenPassword(passwordStdin);
      const account = await asOperator(({ accounts, source }) =>
        accounts.add({ email, password: password.text }, source),
      );
      const generated = password.generated ? { password: password.text } : {};
      if (json) printJson({ id: account.id, email: account.email, ...generated });
      else printLine(password.generated ? `${account.email}  password: ${password.text}` : account.email);
    });
}

function listCommand(): Command {
  return command("list", "list the accounts", "plantstore account list").action(
    async ({ json }: Pick<AccountOptions, "json">) => {
      const accounts = await asOperator(({ accounts }) => accounts.list());
      const rows = accounts.map(({ id, email, createdAt }) => ({
        id,
        email,
        created_at: new Date(createdAt).toISOString(),
      }));
      if (json) printJson(rows);
      else
        printTable(rows, [
          { title: "E-MAIL", value: (row) => row.email },
          { title: "CREATED", value: (row) => row.created_at },
          { title: "ID", value: (row) => row.id },
        ]);
    },
  );
}

function passwordCommand(): Command {
  return command(
    "password",
    "set a new password, end all sessions and forget trusted devices; prints a generated one unless one is given",
    "plantstore account password --email grower@example.com",
  )
    .requiredOption(...EMAIL)
    .option("--password-stdin", "take the password from standard input")
    .option("--revoke-tokens", "revoke the account's tokens as well")
    .option("--remove-passkeys", "remove the account's passkeys as well")
    .option("--disable-webhooks", "disable the account's webhook endpoints as well")
    .action(async ({ email, passwordStdin, json, ...ended }: PasswordOptions) => {
      const password = await givenPassword(passwordStdin);
      const left = await asOperator(({ accounts, source }) =>
        accounts.setPassword(email, password.text, ended, source),
      );
      const generated = password.generated ? { password: password.text } : {};
      if (json) return printJson({ email, ...generated, ...remainingRecord(left) });
      printLine(password.generated ? `${email}  password: ${password.text}` : `${email}  password changed`);
      const offers = offersFor(left);
      if (offers) printNote(offers);
    });
}

interface PasswordOptions extends AccountOptions {
  readonly revokeTokens?: boolean;
  readonly removePasskeys?: boolean;
  readonly disableWebhooks?: boolean;
}

function secondFactorCommand(): Command {
  return command(
    "second-factor",
    "turn the second factor off, for who lost the device; ends all sessions",
    "plantstore account second-factor --off --email grower@example.com",
  )
    .requiredOption("--off", "turn it off")
    .requiredOption(...EMAIL)
    .action(async ({ email, json }: AccountOptions) => {
      await asOperator(({ accounts, source }) => accounts.dropSecondFactor(email, source));
      if (json) printJson({ email, second_factor: false });
      else printLine(`${email}  second factor off`);
    });
}

function deleteCommand(): Command {
  return command(
    "delete",
    "remove an account with its plants and tokens; this cannot be undone",
    "plantstore account delete --email grower@example.com",
  )
    .requiredOption(...EMAIL)
    .action(async ({ email, json }: AccountOptions) => {
      await asOperator(({ accounts, source }) => accounts.remove(email, source));
      if (json) printJson({ email, deleted: true });
      else printLine(`${email}  removed`);
    });
}
