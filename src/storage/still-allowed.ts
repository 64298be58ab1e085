import { sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { StoreUser } from "#core/caller.ts";
import { sessionMissing } from "#core/failure.ts";
import { roleRefused, secondFactorMissing } from "#core/member.ts";
import { type Right, type Role, rightOfAct, rolesWith } from "#core/role.ts";
import { tokenEnded } from "#core/token.ts";
import { isActive } from "./active-tokens.ts";
import { lockingAccount, type Queries, required, type Step } from "./database-access.ts";
import { hasRole } from "./memberships.ts";

/**
 * The first steps of an act: it is not done if the session, the token or the role that allows it has ended meanwhile, as by a
 * recovery of the account. A sign-in, which makes its session, and the end of a session have none. On PostgreSQL the first
 * statement waits for a change of the credentials or of the members, which begins with the account's row too.
 */
export function stillAllowed(db: Queries, { action, ...caller }: AuditEntry): Step[] {
  const { kind, id } = caller.actor;
  const isItsOwn = action === "sign_in.succeeded" || action === "session.ended";
  if (id === "" || isItsOwn || (kind !== "session" && kind !== "token")) return [];
  const token = db.updateTable("tokens").set({ name: sql<string>`name` }).where("id", "=", id);
  const active = token.where((is) => isActive(is, Date.now()));
  if (kind === "token") return [lockingAccount(db, caller.account), required(active, tokenEnded)];
  const right = rightOfAct(action);
  return [
    lockingAccount(db, caller.account),
    required(db.updateTable("sessions").set({ token: sql<string>`token` }).where("id", "=", id), sessionMissing),
    ...(right ? requiringRight(db, caller, right) : []),
  ];
}

/** The caller has the right, and the second factor or passkey that the store may ask for; leaving takes neither of these. */
export function requiringRight(db: Queries, caller: StoreUser, right: Right): Step[] {
  const inStore = required(inRole(db, caller, rolesWith(right)), () => roleRefused(right));
  if (right === "leave") return [inStore];
  const { person = "" } = caller;
  const hasFactor = sql<boolean>`(
    EXISTS (SELECT 1 FROM accounts AS own WHERE own.id = ${person} AND own.two_factor_enabled)
    OR EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = ${person}))`;
  const meetsRule = lockingAccount(db, caller.account).where((is) =>
    is.or([is("second_factor_required", "is distinct from", true), hasFactor]),
  );
  return [inStore, required(meetsRule, () => secondFactorMissing("This store asks for"))];
}

/** Changes the account's row, to what it is, if the caller has one of the roles in it. */
export function inRole(db: Queries, caller: StoreUser, roles: readonly Role[]) {
  return lockingAccount(db, caller.account).where(hasRole(caller, roles));
}
