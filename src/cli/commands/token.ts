import { type Command, Option } from "commander";
import { counted } from "#contract/counted.ts";
import { timestamp } from "#contract/timestamp.ts";
import { DURATION_FORMS } from "#core/duration.ts";
import { DEFAULT_SCOPES, SCOPES, type Scope, type Token, tokenState } from "#core/token.ts";
import { asOperator, inStore } from "#server/operator/operator.ts";
import { command, group, STORE_OPTION, storeCommand } from "../command.ts";
import { type Columns, printResult, printRows } from "../output.ts";
import { UsageError } from "../report.ts";
import { parseExpiry } from "../typed-values.ts";

export function tokenCommand(): Command {
  const description = "make, list and revoke access tokens, on the database itself";
  return group(
    "token",
    description,
    storeCommand(
      "create",
      "make a token; prints it alone on standard output, this once",
      "plantstore token create --account grower@example.com --name nightly-import --expires 90d",
    )
      .requiredOption("--name <name>", "what it is for")
      .addOption(
        new Option("--scope <scope...>", `what it may do; ${DEFAULT_SCOPES.join(" and ")} by default`).choices(SCOPES),
      )
      .option("--expires <when>", `${DURATION_FORMS} from now, or an RFC 3339 time; never by default`)
      .action(async ({ account, name, scope: scopes = [...DEFAULT_SCOPES], expires, json }: CreateOptions) => {
        const expiresAt = expires === undefined ? undefined : parseExpiry(expires, Date.now());
        const { secret, token } = await inStore(account, ({ tokens }, caller) =>
          tokens.create(caller, { name, scopes, expiresAt }),
        );
        printResult(json, { token: secret, ...tokenRecord(token) }, secret);
      }),
    storeCommand("list", "list a store's tokens", "plantstore token list --account grower@example.com").action(
      async ({ account, json }: Pick<CreateOptions, "account" | "json">) => {
        const tokens = await inStore(account, ({ reads }, caller) => reads.tokens.list(caller.account));
        printRows(json, tokens, COLUMNS, tokenRecord);
      },
    ),
    command(
      "revoke",
      "revoke a token, or all of a store; they are refused on every node within a second",
      "plantstore token revoke tok_1",
      "plantstore token revoke --all --account grower@example.com",
    )
      .argument("[id]", "the token's id, as `token list` shows it")
      .option("--all", "all tokens of the store of --account")
      .option("--account <account>", STORE_OPTION)
      .action(async (id: string | undefined, { all, account, json }: RevokeOptions) => {
        if (id === undefined || all || account !== undefined) return revokeAll(id, { all, account, json });
        const token = await asOperator(async ({ records, source }) => {
          const revoked = await records.tokens.revokeAny(id, source);
          if (!revoked) throw new Error(`There is no token with the id ${id}`);
          return revoked;
        });
        printResult(json, tokenRecord(token), `${token.name} (${token.hint}) is revoked`);
      }),
  );
}

async function revokeAll(id: string | undefined, { all, account, json }: RevokeOptions): Promise<void> {
  if (id !== undefined || !all || account === undefined) {
    throw new UsageError("Name one token by its id, or all of a store by --all --account");
  }
  const revoked = await inStore(account, ({ records }, caller) => records.tokens.revokeAll(caller));
  printResult(json, { account, revoked }, `${counted(revoked, "token")} of ${account} revoked`);
}

interface RevokeOptions {
  readonly all?: boolean;
  readonly account?: string;
  readonly json?: boolean;
}

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly scope?: Scope[];
  readonly expires?: string;
  readonly json?: boolean;
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
