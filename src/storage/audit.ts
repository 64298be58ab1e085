import { type Selectable, sql } from "kysely";
import { type AuditAction, type AuditEntry, type AuditRecord, isLimitedAct } from "#core/audit.ts";
import type { Notice } from "#core/mail.ts";
import type { Observer } from "#core/observer.ts";
import type { AuditRecords } from "#core/records.ts";
import { countedActsOf } from "#load/counted-as.ts";
import { HOUR, SECURITY_LOG } from "#load/limit-groups.ts";
import type { Counted, Limit } from "#load/throttle.ts";
import { noticesOf } from "./audit-notices.ts";
import { type DatabaseAccess, type Queries, required, type Statement, type Step } from "./database-access.ts";
import type { MailRows } from "./mail.ts";
import type { Schema } from "./schema.ts";
import { stillAllowed } from "./still-allowed.ts";
import { LimitReached, Throttle } from "./throttle.ts";

/** Bounds the entries of one kind in the audit log. */
const ACTS = SECURITY_LOG.row("acts of one kind", "person in a store, or the tokens of an account", {
  max: 120,
  ...HOUR,
});
const INVITATIONS = SECURITY_LOG.row("invitations", "person in a store", { max: 20, ...HOUR });
/** The limit of one kind of acts. */
export function actsOfAccount(action: AuditAction): Limit {
  const limit = action === "member.invited" ? INVITATIONS : ACTS;
  return { ...limit, name: action, refusal: `This account has done that ${limit.max} times in an hour (${action})` };
}

/** Access to the tables for acts that are entered in the audit log. */
export interface AuditedAccess extends DatabaseAccess {
  readonly audit: AuditLog;
}

/** The audit log on either engine. An entry is added in the same unit of work as the action that it records. */
export class AuditLog implements AuditRecords {
  readonly #db: Queries;
  readonly #throttle: Throttle;

  /**
   * Without an observer, as in a command, a running service reports the entries (`auditLinesJob`). With `mail`, some entries
   * queue a notice to the account's holder in the same unit of work.
   */
  constructor(
    private readonly access: DatabaseAccess,
    private readonly observer?: Pick<Observer, "audited">,
    private readonly mail?: MailRows,
  ) {
    this.#db = access.db;
    this.#throttle = new Throttle(access);
  }

  /**
   * Runs the steps and adds the entries as one unit. Rejects with "rate-limited" if the caller did this as often within
   * an hour as it may, and with "session-missing" or "token-refused" if what allowed the act has ended in the meantime.
   */
  async runAudited(act: readonly Step[], entries: readonly AuditEntry[]): Promise<void> {
    const records = entries.map(newRecord);
    const isAct = act.length > 0;
    const [before, after] = [this.#notices(records, true), this.#notices(records, false)];
    const [first] = records;
    await this.#counted(limitsOf(records), isAct, [
      ...(first && isAct ? stillAllowed(this.#db, first) : []),
      ...before,
      ...act,
      ...records.flatMap((record) => this.#inserts(record)),
      ...after,
    ]);
    if (before.length + after.length > 0) this.mail?.onQueued();
    for (const record of records) this.observer?.audited(record);
  }

  /** Like `runAudited`, but stores nothing and resolves with false if the first statement changes no row. */
  async runAuditedIfChanged(
    first: Statement,
    entries: readonly AuditEntry[],
    further: readonly Step[] = [],
  ): Promise<boolean> {
    try {
      await this.runAudited([required(first, () => new NothingChanged()), ...further], entries);
      return true;
    } catch (error) {
      if (error instanceof NothingChanged) return false;
      throw error;
    }
  }

  /** An act that has happened already is counted as well, but not refused. */
  async #counted(limits: Counted, isAct: boolean, steps: readonly Step[]): Promise<void> {
    if (isAct && limits.length > 0) await this.#throttle.requireRoom(limits);
    const counted = limits.map(([limit, subject]) => this.#throttle.counting(limit, subject, Date.now()));
    try {
      await this.access.atomically([...steps, ...counted.map((count) => (isAct ? count : count.statement))]);
    } catch (error) {
      throw error instanceof LimitReached ? await this.#throttle.refusal(limits) : error;
    }
  }

  add(entry: AuditEntry): Promise<void> {
    return this.runAudited([], [entry]);
  }

  async requireRoom(entry: AuditEntry): Promise<void> {
    const limits = limitsOf([entry]);
    if (limits.length > 0) await this.#throttle.requireRoom(limits);
  }

  #notices(records: readonly AuditRecord[], isBefore: boolean): Statement[] {
    const { mail } = this;
    if (!mail) return [];
    return records.flatMap(noticesOf).flatMap(([notice, to]) => {
      return isBefore === BEFORE.has(notice.about) ? [mail.noticing(to, notice, notice.at)] : [];
    });
  }

  #inserts(record: AuditRecord): Statement[] {
    const { id, at, action, actor, target, address, device, requestId, detail, ofPerson, madeStore } = record;
    const made = sql<number>`(SELECT number FROM stores WHERE stores.id = ${madeStore})`;
    const named = { actor_kind: actor.kind, actor_id: actor.id, actor_name: actor.name };
    const entry = this.#db.insertInto("audit_entries").values({
      id,
      account: madeStore === undefined ? record.account : made,
      person: ofPerson,
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

/** Queued before the act: the address, or the row of who is removed, is another afterwards. */
const BEFORE: ReadonlySet<Notice["about"]> = new Set(["email-changed", "membership-ended", "store-removed"]);

/** The limits of the acts. An act with several entries of one kind, such as revoking all tokens, counts once. */
function limitsOf(entries: readonly AuditEntry[]): Counted {
  const limited = new Map(entries.filter(isLimitedAct).map((entry) => [entry.action, entry]));
  return [...limited.values()].map((entry) => [actsOfAccount(entry.action), countedActsOf(entry)] as const);
}

/** The id is a UUID of version 7, so ids sort by time. Whoever acts in a store may enter what stands in another log. */
function newRecord(entry: AuditEntry): AuditRecord {
  const isOfStore = entry.ofPerson === undefined && entry.madeStore === undefined;
  return {
    ...entry,
    ...(isOfStore ? {} : { account: undefined }),
    id: `aud_${Bun.randomUUIDv7().replaceAll("-", "")}`,
    at: Date.now(),
  };
}

export function recordFromRow(row: Selectable<Schema["audit_entries"]>): AuditRecord {
  return {
    id: row.id,
    ...(row.account === null ? { ofPerson: row.person ?? "" } : { account: row.account }),
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
