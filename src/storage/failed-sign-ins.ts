import type { AuditedAct } from "#core/audit.ts";
import type { Actor } from "#core/caller.ts";
import { HOUR, SECURITY_LOG } from "#load/limit-groups.ts";
import type { AuditedAccess } from "./audit.ts";
import { isOver } from "./engine.ts";

/** One more entry counts the rest. */
export const FAILED_SIGN_INS = SECURITY_LOG.row(
  "refused sign-ins in the audit log",
  "account",
  { max: 20, ...HOUR },
  "counted",
);

const WINDOWS_AT_ONCE = 500;
const PLANTSTORE: Actor = { kind: "system", id: "", name: "plantstore" };

const windowEnded = (now: number) => isOver("ends_at", now, FAILED_SIGN_INS.windowSeconds * 1000);

/**
 * Records a refused sign-in of a known person. After the first few in an hour they are only counted, and one entry at the
 * end of that hour has the count. Resolves with false if it was only counted.
 */
export async function addFailedSignIn(storage: AuditedAccess, person: string, act: AuditedAct): Promise<boolean> {
  const now = Date.now();
  const counted = await storage.db
    .selectFrom("failed_sign_ins")
    .select(["count", windowEnded(now).as("ended")])
    .where("person", "=", person)
    .executeTakeFirst();
  const isNew = !counted || counted.ended;
  if (counted?.ended) await endWindow(storage, person, counted.count);
  const count = storage.db
    .insertInto("failed_sign_ins")
    .values({ person, count: 1, ends_at: now + FAILED_SIGN_INS.windowSeconds * 1000 })
    .onConflict((conflict) =>
      conflict.column("person").doUpdateSet((set) => ({ count: set("failed_sign_ins.count", "+", 1) })),
    );
  const isEntered = isNew || counted.count < FAILED_SIGN_INS.max;
  await storage.audit.runAudited([count], isEntered ? [{ ...act, ofPerson: person }] : []);
  return isEntered;
}

/** Enters what was counted in hours that have ended. Resolves with true if there may be more. */
export async function endSignInWindows(storage: AuditedAccess, now: number): Promise<boolean> {
  const windows = storage.db.selectFrom("failed_sign_ins").selectAll().where(windowEnded(now));
  const ended = await windows.orderBy("ends_at").limit(WINDOWS_AT_ONCE).execute();
  for (const { person, count } of ended) await endWindow(storage, person, count);
  return ended.length === WINDOWS_AT_ONCE;
}

/** Ends a window; of two nodes that try, the one that removes the row adds the entry. */
async function endWindow({ db, audit }: AuditedAccess, person: string, count: number): Promise<void> {
  const window = db.deleteFrom("failed_sign_ins").where("person", "=", person).where("count", "=", count);
  const rest = count - FAILED_SIGN_INS.max;
  const summed = { ofPerson: person, actor: PLANTSTORE, action: "sign_in.failed", detail: { count: rest } } as const;
  await audit.runAuditedIfChanged(window, rest > 0 ? [summed] : []);
}
