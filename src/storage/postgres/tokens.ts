import { sql } from "kysely";
import { Tokens } from "../tokens.ts";

export class PostgresTokens extends Tokens {
  /**
   * All in one statement, since separate ones would each wait for the disk. Always in the same order, so that two nodes
   * do not deadlock.
   */
  override async markUsed(times: ReadonlyMap<string, number>): Promise<void> {
    const ids = [...times.keys()].sort();
    const used = ids.map((id) => times.get(id));
    await sql`
      UPDATE tokens SET last_used_at = used.at
      FROM (
        SELECT tokens.id, given.at FROM unnest(${ids}::text[], ${used}::bigint[]) AS given (id, at)
        JOIN tokens ON tokens.id = given.id
        WHERE tokens.last_used_at IS NULL OR tokens.last_used_at < given.at
        ORDER BY tokens.id FOR UPDATE OF tokens
      ) AS used
      WHERE tokens.id = used.id`.execute(this.db);
  }
}
