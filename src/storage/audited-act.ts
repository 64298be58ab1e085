import { type CompiledQuery, sql } from "kysely";
import { tokenEnded } from "#core/account.ts";
import { type AuditEntry, isLimitedAct } from "#core/audit.ts";
import { sessionMissing } from "#core/failure.ts";
import { actsOfAccount } from "#load/limits.ts";
import type { Counted } from "#load/throttle.ts";
import { isActive } from "./active-tokens.ts";
import type { Queries } from "./queries.ts";
import { LimitReached, type Throttle } from "./throttle.ts";

/** A statement of a unit of work, with what to do once it has changed that number of rows. */
export interface Step {
  readonly statement: CompiledQuery;
  readonly changed?: ((rows: number) => void) | undefined;
}

/**
 * The first steps of an act: it is not done if the session or the token that allows it has ended meanwhile, as by a
 * recovery of the account. A sign-in, which makes its session, and the end of a session have none. On PostgreSQL the first
 * statement waits for a change of the credentials, which begins with the account's row too.
 */
export function stillAllowed(db: Queries, { account, action, actor: { kind, id } }: AuditEntry): Step[] {
  const isItsOwn = action === "sign_in.succeeded" || action === "session.ended";
  if (id === "" || isItsOwn || (kind !== "session" && kind !== "token")) return [];
  const now = Date.now();
  const locked = db.updateTable("accounts").set({ name: sql<string>`name` }).where("number", "=", account);
  const session = db.updateTable("sessions").set({ token: sql<string>`token` }).where("id", "=", id);
  const token = db.updateTable("tokens").set({ name: sql<string>`name` }).where("id", "=", id);
  const allowing = kind === "session" ? session.compile() : token.where((is) => isActive(is, now)).compile();
  const changed = (rows: number) => {
    if (rows === 0) throw kind === "session" ? sessionMissing() : tokenEnded();
  };
  return [{ statement: locked.compile() }, { statement: allowing, changed }];
}

/** The limits of the acts. An act with several entries of one kind, such as revoking all tokens, counts once. */
export function limitsOf(entries: readonly AuditEntry[]): Counted {
  const limited = new Map(entries.filter(isLimitedAct).map((entry) => [entry.action, entry]));
  return [...limited.values()].map(({ action, account }) => [actsOfAccount(action), String(account)] as const);
}

/** The steps that count an act. What has happened already is counted as well, but not refused. */
export function counting(throttle: Throttle, limits: Counted, { refuses }: { readonly refuses: boolean }): Step[] {
  return limits.map(([limit, subject]) => ({
    statement: throttle.counting(limit, subject, Date.now()),
    changed: (rows) => {
      if (rows === 0 && refuses) throw new LimitReached();
    },
  }));
}
