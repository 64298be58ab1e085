import { SHAPE_1 } from "#contract/v1/shape.ts";
import { tokenEnded } from "#core/token.ts";
import type { Act } from "../operation.ts";
import { addressUnknown } from "../refusals.ts";

/** Tells a program which token it sends. */
export const getToken: Act = async ({ service }, { account, token }) => {
  // Pages send none, and have no such address.
  if (!token) throw addressUnknown();
  const store = await service.records.stores.find({ number: account });
  // The store was removed since the token was looked up, and its tokens with it.
  if (!store) throw tokenEnded();
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return new Response(JSON.stringify(SHAPE_1.tokenRecord(token, store)), { headers });
};
