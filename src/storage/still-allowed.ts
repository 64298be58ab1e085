import { sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { StoreCaller } from "#core/caller.ts";
import { sessionMissing } from "#core/failure.ts";
import { roleRefused, secondFactorMissing } from "#core/member.ts";
import { type Right, type Role, rightOfAct, rolesWith } from "#core/role.ts";
import { PROOF_MS_MAX, proofNeeded } from "#core/session.ts";
import { tokenEnded } from "#core/token.ts";
import { isActive } from "./active-tokens.ts";
import { type Condition, lockingPerson, lockingStore, type Queries, required, type Step } from "./database-access.ts";
import { hasRole, hasSecondFactor } from "./roles.ts";

/**
 * The first steps of an act: it is not done if the session, the token or the role that allows it has ended meanwhile, as by a
 * recovery of the account. A sign-in, which makes its session, and the end of a session have none. On PostgreSQL the first
 * statement waits for a change of the credentials or of the members, which begins with the same row.
 */
export function stillAllowed(db: Queries, { action, account, ofPerson, actor, person }: AuditEntry): Step[] {
  const { kind, id } = actor;
  const isItsOwn = action === "sign_in.succeeded" || action === "session.ended";
  if (id === "" || isItsOwn || (kind !== "session" && kind !== "token")) return [];
  const locked = account !== undefined ? [lockingStore(db, account)] : ofPerson ? [lockingPerson(db, ofPerson)] : [];
  if (kind === "token") {
    const token = db.updateTable("tokens").set({ name: sql<string>`name` }).where("id", "=", id);
    return [
      ...locked,
      required(
        token.where((is) => isActive(is, Date.now())),
        tokenEnded,
      ),
    ];
  }
  const right = account === undefined ? undefined : rightOfAct(action);
  return [
    ...locked,
    required(db.updateTable("sessions").set({ proof: sql<"asked">`proof` }).where("id", "=", id), sessionMissing),
    ...(right && account !== undefined ? requiringRight(db, { account, person }, right) : []),
  ];
}

/** Also the second factor for which the store may ask; who leaves needs none. */
function requiringRight(db: Queries, caller: Pick<StoreCaller, "account" | "person">, right: Right): Step[] {
  const { account, person = "" } = caller;
  const isEnough = sql<boolean>`(NOT second_factor_required OR ${hasSecondFactor(person)})`;
  const secondFactor = required(lockingStore(db, account).where(isEnough), () =>
    secondFactorMissing("The store asks for"),
  );
  return [
    required(inRole(db, caller, rolesWith(right)), () => roleRefused(right)),
    ...(right === "leave" ? [] : [secondFactor]),
  ];
}

/** Changes the store's row, to what it is, if the caller has one of the roles in it. */
function inRole(db: Queries, caller: Pick<StoreCaller, "account" | "person">, roles: readonly Role[]) {
  return lockingStore(db, caller.account).where(hasRole(caller, roles));
}

/** A condition that the session has a proof that was asked for not long ago. */
export function requiringProof(db: Queries, sessionId: string): Condition {
  const session = db.updateTable("sessions").set({ proof: sql<"asked">`proof` }).where("id", "=", sessionId);
  const since = Date.now() - PROOF_MS_MAX;
  return required(session.where("proof", "!=", "sign-in").where("proved_at", ">=", since), proofNeeded);
}
