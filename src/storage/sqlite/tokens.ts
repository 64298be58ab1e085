import { sql } from "kysely";
import { Tokens } from "../tokens.ts";

/** One statement blocks the serving thread no longer than a batch of creates. */
const MARKED_AT_ONCE_MAX = 500;

export class SqliteTokens extends Tokens {
  override async markUsed(times: ReadonlyMap<string, number>): Promise<void> {
    const entries = [...times];
    for (let start = 0; start < entries.length; start += MARKED_AT_ONCE_MAX) {
      const used = JSON.stringify(Object.fromEntries(entries.slice(start, start + MARKED_AT_ONCE_MAX)));
      await sql`
        UPDATE tokens SET last_used_at = used.value FROM json_each(${used}) AS used
        WHERE tokens.id = used.key AND (last_used_at IS NULL OR last_used_at < used.value)`.execute(this.db);
    }
  }
}
