import type { CompiledQuery } from "kysely";
import type { Mail, MailQueue, QueuedMail } from "#core/mail.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { Attempts } from "./sign-in/attempts.ts";

const HOUR_MS = 3_600_000;
/** The limit of messages to one address in an hour. */
const TO_ADDRESS_MAX = 20;
/** The holder of a token is told this long before it expires. */
const EXPIRY_NOTICE_MS = 7 * 86_400_000;
const EXPIRING_TOKENS = 200;

export class MailRows implements MailQueue {
  readonly #db: DatabaseAccess["db"];
  readonly #atomically: DatabaseAccess["atomically"];
  readonly #attempts: Attempts;
  /** Called after this process has queued a message. */
  onQueued: () => void = () => {};

  constructor(storage: Pick<DatabaseAccess, "db" | "atomically">) {
    this.#db = storage.db;
    this.#atomically = storage.atomically;
    this.#attempts = new Attempts(storage);
  }

  async put(mail: Mail): Promise<void> {
    await this.#atomically([this.putting(mail, Date.now())]);
    this.onQueued();
  }

  /**
   * A statement that queues the message in the caller's unit of work. The caller calls `onQueued` once it is committed.
   */
  putting(mail: Mail, now: number): CompiledQuery {
    const id = `mail_${Bun.randomUUIDv7().replaceAll("-", "")}`;
    const row = { id, mail: JSON.stringify(mail), created_at: now, next_at: now, attempts: 0 };
    return this.#db.insertInto("mail_queue").values(row).compile();
  }

  async takeDue(now: number, nextAt: number): Promise<QueuedMail | undefined> {
    const due = this.#db.selectFrom("mail_queue").selectAll().where("next_at", "<=", now).orderBy("next_at").limit(1);
    const row = await due.executeTakeFirst();
    if (!row) return undefined;
    const taken = this.#db.updateTable("mail_queue").set({ next_at: nextAt, attempts: Number(row.attempts) + 1 });
    let isTaken = false;
    await this.#atomically([taken.where("id", "=", row.id).where("next_at", "=", row.next_at).compile()], (_, rows) => {
      isTaken = rows > 0;
    });
    if (!isTaken) return undefined;
    const { id, mail, created_at, attempts } = row;
    return { id, mail: JSON.parse(mail), createdAt: Number(created_at), attempts: Number(attempts) };
  }

  async remove(id: string): Promise<void> {
    await this.#atomically([this.#db.deleteFrom("mail_queue").where("id", "=", id).compile()]);
  }

  async tryAgain(id: string, nextAt: number): Promise<void> {
    const later = this.#db.updateTable("mail_queue").set({ next_at: nextAt }).where("id", "=", id);
    await this.#atomically([later.compile()]);
  }

  allow(address: string, now: number): Promise<boolean> {
    const hash = new Bun.CryptoHasher("sha256").update(address).digest("base64url");
    return this.#attempts.count([{ key: `mail:${hash}`, max: TO_ADDRESS_MAX, endsAt: now + HOUR_MS }], now);
  }

  /** Queues a notice for each account with tokens that expire soon, once for each token. */
  async noticeExpiringTokens(now: number): Promise<void> {
    const soon = await this.#db
      .selectFrom("tokens")
      .select(["id", "account", "name", "created_at", "expires_at"])
      .where("session_id", "is", null)
      .where("revoked_at", "is", null)
      .where("expiry_noticed_at", "is", null)
      .where("expires_at", ">", now)
      .where("expires_at", "<", now + EXPIRY_NOTICE_MS)
      .limit(EXPIRING_TOKENS)
      .execute();
    for (const [account, tokens] of Map.groupBy(soon, (token) => Number(token.account))) {
      const noticed = this.#db.updateTable("tokens").set({ expiry_noticed_at: now });
      const ids = tokens.map(({ id }) => id);
      const statements = [noticed.where("id", "in", ids).compile()];
      // A token with a life of less than a fortnight is meant to expire.
      const long = tokens.filter((token) => Number(token.expires_at) - Number(token.created_at) > 2 * EXPIRY_NOTICE_MS);
      const what = long.map(({ name }) => name).join(", ");
      const mail: Mail = { kind: "notice", account, notice: { about: "tokens-expiring", at: now, what } };
      if (long.length > 0) statements.push(this.putting(mail, now));
      await this.#atomically(statements);
      this.onQueued();
    }
  }
}
