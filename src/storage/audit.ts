import { type InsertObject, type Selectable, sql } from "kysely";
import { tokenEnded } from "#core/account.ts";
import { type AuditActor, type AuditEntry, type AuditRecord, isLimitedAct } from "#core/audit.ts";
import { sessionMissing } from "#core/failure.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AuditRecords } from "#core/records.ts";
import { actsOfAccount, FAILED_SIGN_INS } from "#load/limits.ts";
import type { Counted } from "#load/throttle.ts";
import { isActive } from "./active-tokens.ts";
import { noticeOf } from "./audit-notices.ts";
import {
  type DatabaseAccess,
  lockingAccount,
  type Queries,
  removeSome,
  required,
  type Statement,
  type Step,
} from "./database-access.ts";
import { isOver } from "./engine.ts";
import type { MailRows } from "./mail.ts";
import type { Schema } from "./schema.ts";
import { LimitReached, Throttle } from "./throttle.ts";

const SWEEP_ROWS = 500;
const PURGE_INTERVAL_MS = 10 * 60_000;
const LINES_INTERVAL_MS = 1000;

/** Access to the tables for acts that are entered in the audit log. */
export interface AuditedAccess extends DatabaseAccess {
  readonly audit: AuditLog;
}

/** The audit log on either engine. An entry is added in the same unit of work as the action that it records. */
export class AuditLog implements AuditRecords {
  readonly #db: Queries;
  readonly #throttle: Throttle;

  /**
   * Without an observer, as in a command, a service tells its own of the entries (`linesJob`). With `mail`, a notice of
   * some entries is queued for the holder of the account, in the same unit of work.
   */
  constructor(
    private readonly access: DatabaseAccess,
    private readonly observer?: Pick<Observer, "audited" | "signInRefused">,
    private readonly mail?: MailRows,
  ) {
    this.#db = access.db;
    this.#throttle = new Throttle(access);
  }

  /**
   * Runs the steps and adds the entries as one unit. Rejects with "rate-limited" if the account did this as often within
   * an hour as it may, and with "session-missing" or "token-refused" if what allowed the act has ended in the meantime.
   */
  async keep(act: readonly Step[], entries: readonly AuditEntry[]): Promise<void> {
    const records = entries.map(newRecord);
    const limits = limitsOf(entries);
    const isAct = act.length > 0;
    if (isAct && limits.length > 0) await this.#throttle.requireRoom(limits);
    const [before, after] = [this.#notices(records, true), this.#notices(records, false)];
    const counted = limits.map(([limit, subject]) => this.#throttle.counting(limit, subject, Date.now()));
    try {
      await this.access.atomically([
        ...(entries[0] && isAct ? stillAllowed(this.#db, entries[0]) : []),
        ...before,
        ...act,
        // An act that has happened already is counted as well, but not refused.
        ...counted.map((count) => (isAct ? count : count.statement)),
        ...records.flatMap((record) => this.#inserts(record, record.account)),
        ...after,
      ]);
    } catch (error) {
      throw error instanceof LimitReached ? await this.#throttle.refusal(limits) : error;
    }
    if (before.length + after.length > 0) this.mail?.onQueued();
    for (const record of records) this.observer?.audited(record);
  }

  /** Like `keep`, unless the first statement changes no row: then nothing is stored, and it resolves with false. */
  async keepIfChanged(
    first: Statement,
    entries: readonly AuditEntry[],
    further: readonly Step[] = [],
  ): Promise<boolean> {
    try {
      await this.keep([required(first, () => new NothingChanged()), ...further], entries);
      return true;
    } catch (error) {
      if (error instanceof NothingChanged) return false;
      throw error;
    }
  }

  /** Like `keep`, for steps that create the account with that id, which has no number before. */
  async keepNewAccount(act: readonly Step[], accountId: string, entry: Omit<AuditEntry, "account">): Promise<void> {
    const number = this.#db.selectFrom("accounts").select("number").where("id", "=", accountId);
    const record = newRecord({ ...entry, account: 0 });
    await this.access.atomically([...act, ...this.#inserts(record, number)]);
    const account = (await number.executeTakeFirst())?.number ?? 0;
    this.observer?.audited({ ...record, account });
  }

  add(entry: AuditEntry): Promise<void> {
    return this.keep([], [entry]);
  }

  async requireRoom(entry: AuditEntry): Promise<void> {
    const limits = limitsOf([entry]);
    if (limits.length > 0) await this.#throttle.requireRoom(limits);
  }

  /**
   * Records a refused sign-in of a known account. After the first few in an hour they are only counted, and one entry
   * at the end of that hour has the count.
   */
  async addFailedSignIn(entry: AuditEntry): Promise<void> {
    const { account } = entry;
    const now = Date.now();
    const counted = await this.#db
      .selectFrom("failed_sign_ins")
      .select(["count", windowEnded(now).as("ended")])
      .where("account", "=", account)
      .executeTakeFirst();
    const isNew = !counted || counted.ended;
    if (counted?.ended) await this.#endWindow(account, counted.count);
    const count = this.#db
      .insertInto("failed_sign_ins")
      .values({ account, count: 1, ends_at: now + FAILED_SIGN_INS.windowSeconds * 1000 })
      .onConflict((conflict) =>
        conflict.column("account").doUpdateSet((set) => ({ count: set("failed_sign_ins.count", "+", 1) })),
      );
    const entered = isNew || counted.count < FAILED_SIGN_INS.max;
    await this.keep([count], entered ? [entry] : []);
    if (!entered) this.observer?.signInRefused();
  }

  /** The job of a service that tells its observer of the entries that commands have made. */
  linesJob(): Job {
    return {
      name: "audit-lines",
      intervalMs: LINES_INTERVAL_MS,
      run: async () => ((await this.#tellOfCommands()) ? 0 : undefined),
    };
  }

  /** Of several nodes the one that removes a row tells of its entry. Resolves with true if there may be more. */
  async #tellOfCommands(): Promise<boolean> {
    const waiting = await this.#db.selectFrom("audit_lines").select("id").orderBy("id").limit(SWEEP_ROWS).execute();
    if (waiting.length === 0) return false;
    const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
    const taken = await this.#db.deleteFrom("audit_lines").where("id", "in", ids(waiting)).returning("id").execute();
    if (taken.length === 0) return false;
    const entries = this.#db.selectFrom("audit_entries").selectAll().where("id", "in", ids(taken)).orderBy("id");
    for (const row of await entries.execute()) this.observer?.audited(recordFromRow(row));
    return waiting.length === SWEEP_ROWS;
  }

  /** The job that removes entries in batches when their retention time has passed. */
  purgeJob(keptMs: number): Job {
    return {
      name: "old-audit-entries",
      intervalMs: PURGE_INTERVAL_MS,
      exclusive: true,
      run: async ({ now }) => ((await this.purge(now, keptMs)) ? 0 : undefined),
    };
  }

  /** Resolves with true if there may be more to remove. */
  async purge(now: number, keptMs: number): Promise<boolean> {
    const ended = await this.#db
      .selectFrom("failed_sign_ins")
      .selectAll()
      .where(windowEnded(now))
      .orderBy("ends_at")
      .limit(SWEEP_ROWS)
      .execute();
    for (const { account, count } of ended) await this.#endWindow(account, count);
    const before = now - keptMs;
    await this.#db.updateTable("audit_purge").set({ before }).where("before", "<", before).execute();
    const more = await removeSome(this.access, "audit_entries", ["id"], sql`at < ${before}`);
    return more || ended.length === SWEEP_ROWS;
  }

  /** If two nodes do this at once, the one that removes the row adds the entry. */
  async #endWindow(account: AccountNumber, count: number): Promise<void> {
    const window = this.#db.deleteFrom("failed_sign_ins").where("account", "=", account).where("count", "=", count);
    const rest = count - FAILED_SIGN_INS.max;
    const actor: AuditActor = { kind: "system", id: "", name: "plantstore" };
    const entries: AuditEntry[] =
      rest > 0 ? [{ account, actor, action: "sign_in.failed", detail: { count: rest } }] : [];
    await this.keepIfChanged(window, entries);
  }

  /** The notice of a change of address goes to the address before it, so that it is queued before the change. */
  #notices(records: readonly AuditRecord[], isBefore: boolean): Statement[] {
    const { mail } = this;
    return records.flatMap((record) => {
      const notice = mail && noticeOf(record);
      if (!notice || isBefore !== (notice.about === "email-changed")) return [];
      return [mail.noticing(record.account, notice, record.at)];
    });
  }

  #inserts(record: AuditRecord, account: InsertObject<Schema, "audit_entries">["account"]): Statement[] {
    const { id, at, action, actor, target, address, device, requestId, detail } = record;
    const named = { actor_kind: actor.kind, actor_id: actor.id, actor_name: actor.name };
    const entry = this.#db.insertInto("audit_entries").values({
      id,
      account,
      at,
      action,
      ...named,
      target,
      address,
      device,
      request_id: requestId,
      detail: detail && JSON.stringify(detail),
    });
    return this.observer ? [entry] : [entry, this.#db.insertInto("audit_lines").values({ id })];
  }
}

class NothingChanged extends Error {}

const windowEnded = (now: number) => isOver("ends_at", now, FAILED_SIGN_INS.windowSeconds * 1000);

/**
 * The first steps of an act: it is not done if the session or the token that allows it has ended meanwhile, as by a
 * recovery of the account. A sign-in, which makes its session, and the end of a session have none. On PostgreSQL the first
 * statement waits for a change of the credentials, which begins with the account's row too.
 */
function stillAllowed(db: Queries, { account, action, actor: { kind, id } }: AuditEntry): Step[] {
  const isItsOwn = action === "sign_in.succeeded" || action === "session.ended";
  if (id === "" || isItsOwn || (kind !== "session" && kind !== "token")) return [];
  const session = db.updateTable("sessions").set({ token: sql<string>`token` }).where("id", "=", id);
  const token = db.updateTable("tokens").set({ name: sql<string>`name` }).where("id", "=", id);
  const active = token.where((is) => isActive(is, Date.now()));
  return [
    lockingAccount(db, account),
    kind === "session" ? required(session, sessionMissing) : required(active, tokenEnded),
  ];
}

/** The limits of the acts. An act with several entries of one kind, such as revoking all tokens, counts once. */
function limitsOf(entries: readonly AuditEntry[]): Counted {
  const limited = new Map(entries.filter(isLimitedAct).map((entry) => [entry.action, entry]));
  return [...limited.values()].map(({ action, account }) => [actsOfAccount(action), String(account)] as const);
}

/** The id is a UUID of version 7, so ids sort by time. */
function newRecord(entry: AuditEntry): AuditRecord {
  return { ...entry, id: `aud_${Bun.randomUUIDv7().replaceAll("-", "")}`, at: Date.now() };
}

export function recordFromRow(row: Selectable<Schema["audit_entries"]>): AuditRecord {
  return {
    id: row.id,
    account: row.account,
    at: row.at,
    action: row.action,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    target: row.target ?? undefined,
    address: row.address ?? undefined,
    device: row.device ?? undefined,
    requestId: row.request_id ?? undefined,
    detail: row.detail === null ? undefined : JSON.parse(row.detail),
  };
}
