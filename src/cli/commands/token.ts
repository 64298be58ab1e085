import { Command, Option } from "commander";
import { DURATION_FORMS } from "#core/duration.ts";
import { DEFAULT_SCOPES, SCOPES, type Scope, type Token, tokenState } from "#core/token.ts";
import { command } from "../command.ts";
import { parseExpiry } from "../expiry.ts";
import { asOperator } from "../operator.ts";
import { printJson, printLine, printTable } from "../output.ts";

const ACCOUNT = ["--account <email>", "the account's e-mail address"] as const;

export function tokenCommand(): Command {
  const token = new Command("token").description("make, list and revoke access tokens, on the database itself");
  token.addCommand(createCommand());
  token.addCommand(listCommand());
  token.addCommand(revokeCommand());
  return token;
}

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly scope?: Scope[];
  readonly expires?: string;
  readonly json?: boolean;
}

function createCommand(): Command {
  const scope = new Option("--scope <scope...>", `what it may do; ${DEFAULT_SCOPES.join(" and ")} by default`).choices(
    SCOPES,
  );
  return command(
    "create",
    "make a token; prints it alone on standard output, this once",
    "plantstore token create --account grower@example.com --name nightly-import --expires 90d",
  )
    .requiredOption(...ACCOUNT)
    .requiredOption("--name <name>", "what it is for")
    .addOption(scope)
    .option("--expires <when>", `${DURATION_FORMS} from now, or an RFC 3339 time; never by default`)
    .action(async ({ account: email, name, scope: scopes = [...DEFAULT_SCOPES], expires, json }: CreateOptions) => {
      const expiresAt = expires === undefined ? undefined : parseExpiry(expires, Date.now());
      const { secret, token } = await asOperator(async ({ accounts, tokens, source }) => {
        const { number } = await accounts.require(email);
        return tokens.create(number, { name, scopes, expiresAt }, source);
      });
      if (json) printJson({ token: secret, ...tokenRecord(token) });
      else printLine(secret);
    });
}

function listCommand(): Command {
  return command("list", "list an account's tokens", "plantstore token list --account grower@example.com")
    .requiredOption(...ACCOUNT)
    .action(async ({ account: email, json }: Pick<CreateOptions, "account" | "json">) => {
      const tokens = await asOperator(async ({ accounts, reads }) =>
        reads.tokens.list((await accounts.require(email)).number),
      );
      if (json) return printJson(tokens.map(tokenRecord));
      printTable(tokens, [
        { title: "NAME", value: (token) => token.name },
        { title: "TOKEN", value: (token) => token.hint },
        { title: "SCOPES", value: (token) => token.scopes.join(",") },
        { title: "STATE", value: (token) => tokenState(token, Date.now()) },
        { title: "LAST USED", value: (token) => timestamp(token.lastUsedAt) ?? "never" },
        { title: "EXPIRES", value: (token) => timestamp(token.expiresAt) ?? "never" },
        { title: "ID", value: (token) => token.id },
      ]);
    });
}

function revokeCommand(): Command {
  return command(
    "revoke",
    "revoke a token; it is refused on every node within a second",
    "plantstore token revoke tok_1",
  )
    .argument("<id>", "the token's id, as `token list` shows it")
    .action(async (id: string, { json }: Pick<CreateOptions, "json">) => {
      const token = await asOperator(({ store, source }) => store.tokens.revokeAny(id, source));
      if (!token) throw new Error(`There is no token with the id ${id}`);
      if (json) printJson(tokenRecord(token));
      else printLine(`${token.name} (${token.hint}) is revoked`);
    });
}

function tokenRecord(token: Token) {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    scopes: token.scopes,
    created_at: timestamp(token.createdAt),
    last_used_at: timestamp(token.lastUsedAt) ?? null,
    expires_at: timestamp(token.expiresAt) ?? null,
    revoked_at: timestamp(token.revokedAt) ?? null,
  };
}

function timestamp(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
