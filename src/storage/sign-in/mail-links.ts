import { DAY_MS } from "#core/duration.ts";
import type { Person } from "#core/person.ts";
import type { DatabaseAccess, Statement } from "../database-access.ts";

export type LinkPurpose = "recover-password" | "verify-address";

export interface MailedLink {
  readonly hash: Uint8Array;
  readonly personId: string;
  /** The address that the link was mailed to. */
  readonly email: string;
}

/** Mailed links, by the hashes of their secrets. */
export class MailLinks {
  constructor(private readonly storage: Pick<DatabaseAccess, "db" | "atomically">) {}

  /** Replaces any earlier link of the person for the same purpose. */
  async put({ id, email }: Person, purpose: LinkPurpose, hash: Uint8Array, expiresAt: number): Promise<void> {
    const links = this.storage.db.deleteFrom("mail_links").where("person", "=", id).where("purpose", "=", purpose);
    const row = { hash, purpose, person: id, email, expires_at: expiresAt };
    await this.storage.atomically([links, this.storage.db.insertInto("mail_links").values(row)]);
  }

  async find(purpose: LinkPurpose, hash: Uint8Array, now: number): Promise<MailedLink | undefined> {
    const query = this.storage.db.selectFrom("mail_links").selectAll().where("hash", "=", hash);
    // No link lasts for two days, unless it was made by a clock that was far ahead.
    const lasting = query.where("expires_at", ">", now).where("expires_at", "<", now + 2 * DAY_MS);
    const row = await lasting.where("purpose", "=", purpose).executeTakeFirst();
    return row && { hash, personId: row.person, email: row.email };
  }

  /** Changes one row, or none if the link has been used. */
  using({ hash }: MailedLink): Statement {
    return this.storage.db.deleteFrom("mail_links").where("hash", "=", hash);
  }

  /** Marks the address as verified. Changes one row, or none if it is verified already, or no longer the person's. */
  verifying({ personId, email }: Pick<MailedLink, "personId" | "email">): Statement {
    const verified = this.storage.db.updateTable("people").set({ email_verified: true }).where("id", "=", personId);
    return verified.where("email", "=", email).where("email_verified", "=", false);
  }
}
