import type { DatabaseAccess } from "../database-access.ts";

/** The table has one row. */
const ROW = 1;

/** The hash of the code with which the first account can be made. */
export class WelcomeCodes {
  constructor(private readonly storage: Pick<DatabaseAccess, "db">) {}

  /** Replaces any earlier code. */
  async put(hash: string): Promise<void> {
    const row = { hash, used_by: null };
    const put = this.storage.db.insertInto("welcome_codes").values({ place: ROW, ...row });
    await put.onConflict((conflict) => conflict.column("place").doUpdateSet(row)).execute();
  }

  async isWaiting(hash: string): Promise<boolean> {
    const query = this.storage.db.selectFrom("welcome_codes").select("place").where("hash", "=", hash);
    return (await query.where("used_by", "is", null).executeTakeFirst()) !== undefined;
  }

  async anyAccount(): Promise<boolean> {
    const accounts = this.storage.db.selectFrom("accounts").select("accounts.number").limit(1);
    return (await accounts.executeTakeFirst()) !== undefined;
  }
}
