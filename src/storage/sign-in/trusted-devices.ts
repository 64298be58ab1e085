import type { Selectable } from "kysely";
import type { Account } from "#core/account.ts";
import { TRUSTED_DEVICES } from "#load/limits.ts";
import type { Statement } from "../atomically.ts";
import type { DatabaseAccess } from "../database-access.ts";
import type { Schema } from "../schema.ts";

/** A browser for which an account's second factor is not requested. Times are milliseconds since 1970. */
export interface TrustedDeviceRow {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

export interface NewTrustedDevice {
  /** SHA-256 of the secret that the browser stores. */
  readonly hash: Uint8Array;
  readonly userAgent: string;
  readonly address: string;
  readonly expiresAt: number;
}

export class TrustedDevices {
  constructor(private readonly storage: Pick<DatabaseAccess, "db">) {}

  /** At the limit the one that was used the longest ago is forgotten. */
  adding(
    { id: accountId }: Account,
    { hash, userAgent, address, expiresAt }: NewTrustedDevice,
    now: number,
  ): Statement[] {
    const times = { created_at: now, last_used_at: now, expires_at: expiresAt };
    const row = { hash, user_id: accountId, user_agent: userAgent, address, ...times };
    const devices = this.storage.db.selectFrom("trusted_devices").select("id").where("user_id", "=", accountId);
    const oldest = devices
      .orderBy("last_used_at", "desc")
      .orderBy("id")
      .offset(TRUSTED_DEVICES.each - 1)
      .limit(TRUSTED_DEVICES.each);
    return [
      this.storage.db.deleteFrom("trusted_devices").where("id", "in", oldest),
      this.storage.db.insertInto("trusted_devices").values({ id: `dev_${crypto.randomUUID()}`, ...row }),
    ];
  }

  async find({ id: accountId }: Account, hash: Uint8Array, now: number): Promise<TrustedDeviceRow | undefined> {
    const query = this.storage.db.selectFrom("trusted_devices").selectAll().where("user_id", "=", accountId);
    const row = await query.where("hash", "=", hash).where("expires_at", ">", now).executeTakeFirst();
    return row && deviceFromRow(row);
  }

  using(id: string, now: number): Statement {
    return this.storage.db.updateTable("trusted_devices").set({ last_used_at: now }).where("id", "=", id);
  }

  /** Newest first. */
  async list({ id: accountId }: Account, now: number): Promise<TrustedDeviceRow[]> {
    const query = this.storage.db.selectFrom("trusted_devices").selectAll().where("user_id", "=", accountId);
    const rows = await query.where("expires_at", ">", now).orderBy("last_used_at", "desc").execute();
    return rows.map(deviceFromRow);
  }

  /** Forgets one device, or all. Resolves with the number of devices. */
  async forget(account: Account, id?: string): Promise<number> {
    return Number((await this.#forgetting(account, id).executeTakeFirst()).numDeletedRows);
  }

  forgetting(account: Pick<Account, "id">): Statement {
    return this.#forgetting(account);
  }

  #forgetting({ id: accountId }: Pick<Account, "id">, id?: string) {
    const devices = this.storage.db.deleteFrom("trusted_devices").where("user_id", "=", accountId);
    return id === undefined ? devices : devices.where("id", "=", id);
  }
}

function deviceFromRow(row: Selectable<Schema["trusted_devices"]>): TrustedDeviceRow {
  return {
    id: row.id,
    userAgent: row.user_agent,
    address: row.address,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}
