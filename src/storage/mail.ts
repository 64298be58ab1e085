import { type RawBuilder, sql } from "kysely";
import { DAY_MS } from "#core/duration.ts";
import { type AddressedMail, type Mail, type MailQueue, type Notice, plainName, type QueuedMail } from "#core/mail.ts";
import type { AccountNumber } from "#core/plant.ts";
import { DAY, HOUR, MAIL } from "#load/limit-groups.ts";
import type { Counted } from "#load/throttle.ts";
import type { DatabaseAccess, Statement } from "./database-access.ts";
import { isOver } from "./engine.ts";
import { noteOutcome } from "./outcomes.ts";
import { idsOf } from "./roles.ts";
import { Throttle } from "./throttle.ts";

/**
 * One person causes 20 messages in an hour, and one address is sent 20: these, and three of recovery, whose room no
 * other message may use up.
 */
const MAIL_TO_ADDRESS = MAIL.row("mail to address", "mail address", { max: 17, ...HOUR });
const MAIL_OF_PERSON = MAIL.row("mail of person", "person", { max: 17, ...HOUR });
const RECOVERY_MAIL_OF_PERSON = MAIL.row("recovery mail of person", "person", {
  max: 3,
  ...HOUR,
});
/** Different addresses that are sent messages of one person on one day (UTC), which is part of both subjects. */
const ADDRESSES_OF_PERSON = MAIL.row("mailed addresses of person", "person", {
  max: 5,
  ...DAY,
});
const SAME_ADDRESS_OF_PERSON = MAIL.row("mailed address of person", "person", { max: 1, ...DAY }, "it is no new one");

/** The holder of a token is told this long before it expires. */
const EXPIRY_NOTICE_MS = 7 * DAY_MS;
const EXPIRING_TOKENS = 200;

export class MailRows implements MailQueue {
  readonly #throttle: Throttle;
  /** Called after this process has queued a message. */
  onQueued: () => void = () => {};

  constructor(private readonly storage: DatabaseAccess) {
    this.#throttle = new Throttle(storage);
  }

  async put(mail: Mail): Promise<void> {
    const now = Date.now();
    const row = { id: newId(), mail: JSON.stringify(mail), created_at: now, next_at: now, attempts: 0 };
    await this.storage.db.insertInto("mail_queue").values(row).execute();
    this.onQueued();
  }

  /** A statement that queues a message to that address, which is counted already, in the caller's unit of work. */
  queuing(mail: Mail, recipient: string, now: number): Statement {
    const times = { created_at: now, next_at: now };
    const row = { id: newId(), mail: JSON.stringify(mail), ...times, attempts: 1, recipient };
    return this.storage.db.insertInto("mail_queue").values(row);
  }

  /** Queues a notice to whoever runs the service: the owners of the first store. Nothing if there is none yet. */
  async noticeFirstStore(notice: Notice): Promise<void> {
    const first = this.storage.db.selectFrom("stores").select("number").orderBy("number").limit(1);
    const row = await first.executeTakeFirst();
    if (!row) return;
    await this.storage.atomically([this.noticing({ owners: row.number }, notice, Date.now())]);
    this.onQueued();
  }

  /**
   * A statement that queues a notice in the caller's unit of work, for each of them to the address that they have at that
   * point of the unit; nothing is queued for whose address was never verified. The caller calls `onQueued` once it is
   * committed.
   */
  noticing(to: Noticed, notice: Notice, now: number): Statement {
    const store = "owners" in to ? to.owners : "store" in to ? to.store : undefined;
    const head = JSON.stringify({ kind: "notice", store, forOwners: "owners" in to, notice });
    const text = sql<string>`CAST(${`${head.slice(0, -1)},"person":"`} AS text) || people.id || '"}'`;
    const people = this.storage.db.selectFrom("people").where(noticed(to));
    return this.storage.db
      .insertInto("mail_queue")
      .columns(["id", "mail", "created_at", "next_at", "attempts", "recipient"])
      .expression(
        people
          .where("email_verified", "=", true)
          .select([
            sql<string>`CAST(${newId()} AS text) || '_' || people.id`.as("id"),
            text.as("mail"),
            sql<number>`CAST(${now} AS bigint)`.as("created_at"),
            sql<number>`CAST(${now} AS bigint)`.as("next_at"),
            sql<number>`0`.as("attempts"),
            "email",
          ]),
      );
  }

  async takeDue(now: number, nextAt: number): Promise<QueuedMail | undefined> {
    const due = this.storage.db
      .selectFrom("mail_queue")
      .selectAll()
      // No attempt is put off for longer than a day.
      .where(isOver("next_at", now, DAY_MS))
      .orderBy("next_at")
      .limit(1);
    const row = await due.executeTakeFirst();
    if (!row) return undefined;
    // The first attempt begins when the message is counted, so that a process that is killed before has counted nothing.
    const attempts = row.attempts === 0 ? 0 : row.attempts + 1;
    const taken = this.storage.db.updateTable("mail_queue").set({ next_at: nextAt, attempts });
    const { id, mail, recipient, next_at, created_at } = row;
    const { numUpdatedRows } = await taken.where("id", "=", id).where("next_at", "=", next_at).executeTakeFirst();
    if (numUpdatedRows === 0n) return undefined;
    return {
      id,
      mail: JSON.parse(mail),
      recipient: recipient ?? undefined,
      createdAt: created_at,
      attempts: row.attempts,
    };
  }

  noteOutcome(now: number, problem?: string): Promise<void> {
    return noteOutcome(this.storage.db, "mail", now, problem);
  }

  async remove(id: string): Promise<void> {
    await this.storage.db.deleteFrom("mail_queue").where("id", "=", id).execute();
  }

  async tryAgain(id: string, nextAt: number): Promise<void> {
    await this.storage.db.updateTable("mail_queue").set({ next_at: nextAt }).where("id", "=", id).execute();
  }

  async allow({ id, kind, person, to, own = to }: AddressedMail, now: number): Promise<boolean> {
    if (own !== to) await this.#reaches(person, own, now);
    if (!(await this.#reaches(person, to, now))) return false;
    const counted: Counted =
      kind === "recover-password"
        ? [[RECOVERY_MAIL_OF_PERSON, person]]
        : [
            [MAIL_TO_ADDRESS, to],
            [MAIL_OF_PERSON, person],
          ];
    const begun = this.storage.db.updateTable("mail_queue").set({ attempts: 1 }).where("id", "=", id);
    return this.#throttle.tryCount(counted, now, [begun.where("attempts", "=", 0)]);
  }

  /** Counts the address. Resolves with false if it is one more than the person may have on a day. */
  async #reaches(person: string, address: string, now: number): Promise<boolean> {
    const ofDay = `${person} ${Math.floor(now / DAY_MS)}`;
    const sameAddress = [SAME_ADDRESS_OF_PERSON, `${ofDay} ${address}`] as const;
    const isNew = await this.#throttle.tryCount([sameAddress, [ADDRESSES_OF_PERSON, ofDay]], now);
    return isNew || !(await this.#throttle.hasRoom([sameAddress], now));
  }

  /** Queues a notice for the owners of each store with tokens that expire soon, once for each token. */
  async noticeExpiringTokens(now: number): Promise<void> {
    const soon = await this.storage.db
      .selectFrom("tokens")
      .select(["tokens.id", "account", "tokens.name", "hint", "tokens.created_at", "expires_at"])
      .where(({ exists, selectFrom }) => {
        const verified = selectFrom("people").select("people.id").where("email_verified", "=", true);
        return exists(verified.where(noticed({ owners: sql.ref("tokens.account") })));
      })
      .where("revoked_at", "is", null)
      .where("expiry_noticed_at", "is", null)
      .where("expires_at", ">", now)
      .where("expires_at", "<", now + EXPIRY_NOTICE_MS)
      .limit(EXPIRING_TOKENS)
      .execute();
    for (const [account, tokens] of Map.groupBy(soon, ({ account }) => account)) {
      const noticed = this.storage.db.updateTable("tokens").set({ expiry_noticed_at: now });
      const ids = tokens.map(({ id }) => id);
      const statements: Statement[] = [noticed.where("id", "in", ids)];
      // A token with a life of less than a fortnight is meant to expire.
      const long = tokens.filter((token) => Number(token.expires_at) - token.created_at > 2 * EXPIRY_NOTICE_MS);
      const what = long.map(({ name, hint }) => plainName(name, hint)).join(", ");
      if (long.length > 0)
        statements.push(this.noticing({ owners: account }, { about: "tokens-expiring", at: now, what }, now));
      await this.storage.atomically(statements);
      this.onQueued();
    }
  }
}

/** Somebody, perhaps about a store; everybody of a store; or its owners, perhaps without one of them. */
export type Noticed =
  | { readonly person: string; readonly store?: AccountNumber }
  | { readonly people: AccountNumber }
  | { readonly owners: AccountNumber; readonly except?: string };

function noticed(
  to: Exclude<Noticed, { owners: AccountNumber }> | { owners: AccountNumber | RawBuilder<unknown>; except?: string },
): RawBuilder<boolean> {
  if ("person" in to) return sql`people.id = ${to.person}`;
  if ("people" in to) return sql`people.id IN ${idsOf(to.people)}`;
  return sql`people.id IN ${idsOf(to.owners, ["owner"])} AND people.id <> ${to.except ?? ""}`;
}

function newId(): string {
  return `mail_${Bun.randomUUIDv7().replaceAll("-", "")}`;
}
