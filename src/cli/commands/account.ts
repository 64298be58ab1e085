import { createInterface } from "node:readline/promises";
import type { Command } from "commander";

import { counted } from "#contract/counted.ts";
import { timestamp } from "#contract/timestamp.ts";
import { passwordLengthProblem, type RemainingCredentials } from "#core/person.ts";
import { isStorableText } from "#core/text.ts";
import { asOperator, inStore, type Removal } from "#server/operator/operator.ts";
import { command, group, STORE_OPTION } from "../command.ts";
import { printJson, printLine, printNote, printResult, printRows } from "../output.ts";
import { UsageError } from "../report.ts";
import { inviteCommand, peopleCommand } from "./account-people.ts";
import { suspensionCommands } from "./account-suspension.ts";

interface Options {
  readonly email: string;
  readonly json?: boolean;
}

interface NewPersonOptions extends Options, Pick<PasswordOptions, "passwordStdin"> {
  readonly name?: string;
  readonly storeName?: string;
}

interface StoreOptions extends Options {
  readonly name: string;
  readonly test?: boolean;
}

interface DeleteOptions extends Pick<Options, "json"> {
  readonly yes?: boolean;
  readonly email?: string;
  readonly account?: string;
}

interface PasswordOptions extends Options {
  readonly passwordStdin?: boolean;
  readonly revokeTokens?: boolean;
  readonly removePasskeys?: boolean;
  readonly removeIdentities?: boolean;
  readonly disableWebhooks?: boolean;
}

export function accountCommand(): Command {
  return group(
    "account",
    "make, list and remove accounts, on the database itself",
    about(
      "create",
      "make an account with a store; prints a generated password unless one is given",
      "plantstore account create --email grower@example.com --name Ada --store-name Greenleaf",
    )
      .option("--name <name>", "the person's name; by default what is before the @")
      .option("--store-name <name>", "the name of the store; by default the person's")
      .option("--password-stdin", "take the password from standard input")
      .action(async ({ email, name, storeName, passwordStdin, json }: NewPersonOptions) => {
        const { password, generated } = await givenPassword(passwordStdin);
        const given = { email, password, name, storeName };
        const account = await asOperator(({ accounts, source }) => accounts.add(given, source));
        const line = generated ? `${account.email}  password: ${password}` : account.email;
        printResult(json, { id: account.id, email: account.email, ...generated }, line);
      }),
    about(
      "create-store",
      "make a further store for somebody, who owns it; prints its id",
      "plantstore account create-store --email grower@example.com --name Trials --test",
    )
      .requiredOption("--name <name>", "the name of the store")
      .option("--test", "mark it as a store for trying things out, which can be emptied")
      .action(async ({ email, name, test = false, json }: StoreOptions) => {
        const id = await asOperator(({ accounts, source }) => accounts.addStore(email, { name, isTest: test }, source));
        printResult(json, { id, name, test }, id);
      }),
    command("list", "list the stores, with the owners of each", "plantstore account list").action(
      async ({ json }: Pick<Options, "json">) => {
        const stores = await asOperator(({ reads }) => reads.stores.list());
        const rows = stores.map(({ id, name, isTest: test, createdAt, owners, suspendedAt }) => {
          const suspended_at = suspendedAt === undefined ? null : timestamp(suspendedAt);
          return { id, name, test, created_at: timestamp(createdAt), owners, suspended_at };
        });
        printRows(json, rows, {
          NAME: (row) => row.name,
          OWNERS: (row) => row.owners.join(", "),
          CREATED: (row) => row.created_at,
          STATE: (row) => (row.suspended_at === null ? "in use" : `suspended since ${row.suspended_at}`),
          ID: (row) => row.id,
        });
        if (rows.length === 0 && !json) printNote("There is no store in the database of DATABASE_URL");
      },
    ),
    ...credentialCommands(),
    peopleCommand(),
    inviteCommand(),
    ...suspensionCommands(),
    exportCommand(),
    deleteCommand(),
  );
}

function exportCommand(): Command {
  return about(
    "export",
    "write what is stored about somebody, and about each store that only they own, as JSON and NDJSON, without secrets",
    "plantstore account export --email grower@example.com --to grower",
  )
    .requiredOption("--to <folder>", "a new or empty folder")
    .action(async ({ email, to, json }: Options & { readonly to: string }) => {
      const { exportPerson } = await import("#server/operator/export-person.ts");
      const files = await exportPerson(email, to);
      printResult(json, { email, to, files }, `${to} holds ${counted(files.length, "file")}`);
    });
}

function deleteCommand(): Command {
  return command(
    "delete",
    "remove an account, and the stores that are nobody else's, or one store; with their plants, and for good",
    "plantstore account delete --email grower@example.com",
  )
    .option("--email <email>", "the account's e-mail address")
    .option("--account <account>", STORE_OPTION)
    .option("--yes", "do not ask; needed where there is no terminal")
    .action(async ({ email, account, yes, json }: DeleteOptions) => {
      if ((email === undefined) === (account === undefined)) throw new UsageError("Give either --email or --account");
      const named = email ?? account ?? "";
      const removed =
        email === undefined
          ? await inStore(named, async ({ accounts, records }, caller) => {
              const removal = await accounts.storeRemoval([caller]);
              if (!yes) await confirm(named, removal);
              await records.stores.remove(caller.account, caller);
              return removal;
            })
          : await asOperator(async ({ accounts, source }) => {
              const removal = await accounts.removal(email);
              if (!yes) await confirm(email, removal);
              await accounts.remove(email, source);
              return removal;
            });
      printResult(json, { email, account, deleted: true, removed }, `${named}  removed, with ${inWords(removed)}`);
    });
}

/** Resolves once somebody has typed again on a terminal what goes: an address, or the store as it was named. Throws UsageError otherwise; nothing has been removed. */
async function confirm(named: string, removal: Removal): Promise<void> {
  const going = `${named} goes, with ${inWords(removal)}, which cannot be undone`;
  if (!process.stdin.isTTY) throw new UsageError(`${going}: give --yes to remove it without a terminal`);
  printNote(`${going}.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  const typed = await Promise.race([terminal.question("Type it again to remove it: "), closed]);
  terminal.close();
  if (typed.trim() !== named) throw new UsageError("Nothing was removed: what was typed is something else");
}

function inWords({ people, stores, plants, tokens, endpoints }: Removal): string {
  const parts = [
    people === 1 ? "1 person" : "no person",
    counted(stores, "store"),
    counted(plants, "plant"),
    counted(tokens, "token"),
    counted(endpoints, "webhook endpoint"),
  ];
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** The ways in of somebody who has lost one. */
function credentialCommands(): Command[] {
  return [
    about(
      "password",
      "set a new password, end all sessions and forget trusted devices; prints a generated one unless one is given",
      "plantstore account password --email grower@example.com",
    )
      .option("--password-stdin", "take the password from standard input")
      .option("--revoke-tokens", "revoke the account's tokens as well")
      .option("--remove-passkeys", "remove the account's passkeys as well")
      .option("--remove-identities", "remove the account's identities of the sign-in provider as well")
      .option("--disable-webhooks", "disable the account's webhook endpoints as well")
      .action(async ({ email, passwordStdin, json, ...ended }: PasswordOptions) => {
        const { password, generated } = await givenPassword(passwordStdin);
        const left = await asOperator(({ accounts, source }) => accounts.setPassword(email, password, ended, source));
        if (json) return printJson({ email, ...generated, ...remainingRecord(left) });
        printLine(generated ? `${email}  password: ${password}` : `${email}  password changed`);
        printOffers(left);
      }),
    group(
      "passkeys",
      "list and remove an account's passkeys",
      about("list", "list an account's passkeys", "plantstore account passkeys list --email grower@example.com").action(
        async ({ email, json }: Options) => {
          const passkeys = await asOperator(({ accounts }) => accounts.listPasskeys(email));
          const rows = passkeys.map(({ id, name, createdAt }) => ({ id, name, created_at: timestamp(createdAt) }));
          printRows(json, rows, { NAME: (row) => row.name, ADDED: (row) => row.created_at, ID: (row) => row.id });
        },
      ),
      about(
        "remove",
        "remove one passkey or all of an account, end all sessions and forget trusted devices",
        "plantstore account passkeys remove --email grower@example.com",
      )
        .option("--id <id>", "one passkey, as `account passkeys list` shows it; all by default")
        .action(async ({ email, id, json }: Options & { readonly id?: string }) => {
          const { removed, left } = await asOperator(({ accounts, source }) =>
            accounts.removePasskeys(email, id, source),
          );
          if (json)
            return printJson({ email, removed: removed.map((passkey) => passkey.id), ...remainingRecord(left) });
          printLine(`${email}  ${counted(removed.length, "passkey")} removed`);
          printOffers(left);
        }),
    ),
    command(
      "second-factor",
      "turn the second factor off, for who lost the device; ends all sessions",
      "plantstore account second-factor --off --email grower@example.com",
    )
      .requiredOption("--off", "turn it off")
      .requiredOption("--email <email>", "the account's e-mail address")
      .action(async ({ email, json }: Options) => {
        await asOperator(({ accounts, source }) => accounts.dropSecondFactor(email, source));
        printResult(json, { email, second_factor: false }, `${email}  second factor off`);
      }),
  ];
}

function about(...words: Parameters<typeof command>): Command {
  return command(...words).requiredOption("--email <email>", "the account's e-mail address");
}

interface GivenPassword {
  readonly password: string;
  /** The part of the output that shows a password which nobody knows yet. */
  readonly generated?: { readonly password: string };
}

/** The password on the first line of standard input, or a generated one of 120 bits. */
async function givenPassword(fromStandardInput = false): Promise<GivenPassword> {
  if (!fromStandardInput) {
    const password = Buffer.from(crypto.getRandomValues(new Uint8Array(15))).toString("base64url");
    return { password, generated: { password } };
  }
  const password = firstLine(await Bun.stdin.bytes());
  if (password === undefined) throw new UsageError("The password on standard input must be UTF-8 without U+0000");
  const problem = passwordLengthProblem(password);
  if (problem) throw new UsageError(`The password on standard input ${problem}`);
  return { password };
}

/** Undefined for what no page could send when its person signs in. */
function firstLine(bytes: Uint8Array): string | undefined {
  try {
    const [line = ""] = new TextDecoder("utf-8", { fatal: true }).decode(bytes).split(/\r?\n/, 1);
    return isStorableText(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function remainingRecord({ activeTokens: active_tokens, ...others }: RemainingCredentials) {
  return { active_tokens, ...others };
}

/** Notes everything that still works beside the password, with the command that ends it. */
function printOffers({ activeTokens, passkeys, identities, webhooks }: RemainingCredentials): void {
  const access = [
    ...(activeTokens > 0
      ? [`${counted(activeTokens, "token")} ("token revoke ID", or "account password --revoke-tokens")`]
      : []),
    ...(passkeys > 0 ? [`${counted(passkeys, "passkey")} ("account passkeys remove")`] : []),
    ...(identities > 0 ? [`${counted(identities, "identity")} ("account password --remove-identities")`] : []),
  ].join(", ");
  const endpoints = `${counted(webhooks, "webhook endpoint")} ("account password --disable-webhooks")`;
  const offers = [
    ...(access ? [`It still gets in: ${access}.`] : []),
    ...(webhooks > 0 ? [`Events are still sent to ${endpoints}.`] : []),
  ];
  if (offers.length > 0) printNote(offers.join(" "));
}
