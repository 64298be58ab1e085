import { tokenRecord } from "#contract/token-record.ts";
import type { PageParts, PageRequest } from "./page.ts";

export async function tokensPage({ reads }: PageParts, { account }: PageRequest) {
  const now = Date.now();
  return { tokens: (await reads.tokens.list(account)).map((token) => tokenRecord(token, now)) };
}
