import type { AccountNumber, Plant } from "#core/plant.ts";
import { EXPORT_PAGE_TEXT_MAX, pagesById } from "../plant-page.ts";
import { toFailure } from "./errors.ts";
import { BEGIN_ORDERED } from "./ordered-reading.ts";
import { scannedPage } from "./plant-scan.ts";
import type { Pool } from "./pool.ts";

/**
 * Every plant of the account in id order, in pages, from one snapshot: a single transaction on a connection of its own.
 */
export async function* exportPages(pool: Pool, account: AccountNumber): AsyncGenerator<readonly Plant[], undefined> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN_ORDERED);
    yield* pagesById(account, (request) => scannedPage(client, request, undefined, EXPORT_PAGE_TEXT_MAX));
  } catch (error) {
    throw toFailure(error);
  } finally {
    await client.query("ROLLBACK").catch(() => undefined);
    client.release();
  }
}
