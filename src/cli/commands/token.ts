import { type Command, Option } from "commander";
import { timestamp } from "#contract/timestamp.ts";
import { DURATION_FORMS } from "#core/duration.ts";
import { DEFAULT_SCOPES, SCOPES, type Scope, type Token, tokenState } from "#core/token.ts";
import { asOperator } from "#server/operator/operator.ts";
import { command, group } from "../command.ts";
import { parseExpiry } from "../expiry.ts";
import { type Columns, printResult, printRows } from "../output.ts";

const ACCOUNT = ["--account <account>", "the e-mail address of who made the account, or its id"] as const;

export function tokenCommand(): Command {
  const description = "make, list and revoke access tokens, on the database itself";
  return group("token", description, createCommand(), listCommand(), revokeCommand());
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
        const { account } = await accounts.require(email);
        return tokens.create({ ...source, account }, { name, scopes, expiresAt });
      });
      printResult(json, { token: secret, ...tokenRecord(token) }, secret);
    });
}

function listCommand(): Command {
  return command("list", "list an account's tokens", "plantstore token list --account grower@example.com")
    .requiredOption(...ACCOUNT)
    .action(async ({ account: email, json }: Pick<CreateOptions, "account" | "json">) => {
      const tokens = await asOperator(async ({ accounts, reads }) =>
        reads.tokens.list((await accounts.require(email)).account),
      );
      printRows(json, tokens, COLUMNS, tokenRecord);
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
      const token = await asOperator(({ records, source }) => records.tokens.revokeAny(id, source));
      if (!token) throw new Error(`There is no token with the id ${id}`);
      printResult(json, tokenRecord(token), `${token.name} (${token.hint}) is revoked`);
    });
}

const COLUMNS: Columns<Token> = {
  NAME: ({ name }) => name,
  TOKEN: ({ hint }) => hint,
  SCOPES: ({ scopes }) => scopes.join(","),
  STATE: (token) => tokenState(token, Date.now()),
  "LAST USED": ({ lastUsedAt }) => given(lastUsedAt) ?? "never",
  EXPIRES: ({ expiresAt }) => given(expiresAt) ?? "never",
  ID: ({ id }) => id,
};

function tokenRecord({ id, name, hint, scopes, createdAt, lastUsedAt, expiresAt, revokedAt }: Token) {
  const times = { last_used_at: given(lastUsedAt), expires_at: given(expiresAt), revoked_at: given(revokedAt) };
  return { id, name, hint, scopes, created_at: timestamp(createdAt), ...times };
}

function given(ms: number | undefined): string | null {
  return ms === undefined ? null : timestamp(ms);
}
