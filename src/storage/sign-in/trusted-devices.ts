import { DAY_MS } from "#core/duration.ts";
import type { Person } from "#core/person.ts";
import { CREDENTIALS } from "#load/limit-groups.ts";
import type { DatabaseAccess, Statement } from "../database-access.ts";

const TRUSTED_DEVICES = CREDENTIALS.row("trusted browsers", "account", { each: 100 });

const COLUMNS = [
  "id",
  "user_agent as userAgent",
  "address",
  "created_at as createdAt",
  "last_used_at as lastUsedAt",
  "expires_at as expiresAt",
] as const;

/** A browser for which an account's second factor is not requested. Times are milliseconds since 1970. */
export type TrustedDeviceRow = Awaited<ReturnType<TrustedDevices["list"]>>[number];

export interface NewTrustedDevice extends Pick<TrustedDeviceRow, "userAgent" | "address" | "expiresAt"> {
  /** SHA-256 of the secret that the browser stores. */
  readonly hash: Uint8Array;
}

export class TrustedDevices {
  constructor(private readonly storage: Pick<DatabaseAccess, "db">) {}

  /** Adds a device, and evicts the least recently used one at the limit. */
  adding(
    { id: personId }: Person,
    { hash, userAgent, address, expiresAt }: NewTrustedDevice,
    now: number,
  ): Statement[] {
    const times = { created_at: now, last_used_at: now, expires_at: expiresAt };
    const row = { hash, person: personId, user_agent: userAgent, address, ...times };
    const devices = this.storage.db.selectFrom("trusted_devices").select("id").where("person", "=", personId);
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

  find(person: Person, hash: Uint8Array, now: number): Promise<TrustedDeviceRow | undefined> {
    return this.#trusted(person, now).where("hash", "=", hash).executeTakeFirst();
  }

  using(id: string, now: number): Statement {
    return this.storage.db.updateTable("trusted_devices").set({ last_used_at: now }).where("id", "=", id);
  }

  /** Newest first. */
  list(person: Person, now: number) {
    return this.#trusted(person, now).orderBy("last_used_at", "desc").execute();
  }

  /** Forgets one device, or all. Resolves with the number of devices. */
  async forget(person: Person, id?: string): Promise<number> {
    return Number((await this.forgetting(person, id).executeTakeFirst()).numDeletedRows);
  }

  forgetting({ id: personId }: Pick<Person, "id">, id?: string) {
    const devices = this.storage.db.deleteFrom("trusted_devices").where("person", "=", personId);
    return id === undefined ? devices : devices.where("id", "=", id);
  }

  #trusted({ id: personId }: Person, now: number) {
    const devices = this.storage.db.selectFrom("trusted_devices").where("person", "=", personId);
    // One of a clock that was far ahead would be trusted for longer than any may.
    return devices
      .where("expires_at", ">", now)
      .where("created_at", "<", now + DAY_MS)
      .select(COLUMNS);
  }
}
