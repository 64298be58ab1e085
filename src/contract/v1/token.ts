import { z } from "zod";
import type { Store } from "#core/store.ts";
import { SCOPES, type Token } from "#core/token.ts";
import { timestamp } from "../timestamp.ts";
import { list, object, text } from "./schemas.ts";

const storeSchema = object("TokenStore", "The store that a token belongs to.", {
  id: text("The store's id."),
  name: text("The store's name.", { examples: ["Plant shop"] }),
  test: z.boolean().meta({ description: "True for a store that is for trying things out." }),
});

export const tokenSchema = object("SentToken", "The token of a request.", {
  id: text("The token's id."),
  name: text("The token's name.", { examples: ["Nightly sync"] }),
  scopes: list(z.enum(SCOPES).meta({ description: "A scope." }), "What the token may do."),
  expires_at: z.custom<string | null>().meta({
    type: ["string", "null"],
    format: "date-time",
    description: "The time from which it is refused; null if it has no end. RFC 3339, UTC, milliseconds.",
    examples: ["2026-11-21T16:12:29.885Z", null],
  }),
  store: storeSchema.meta({ description: "The store that it belongs to." }),
});

export function tokenRecord(
  { id, name, scopes, expiresAt }: Token,
  store: Pick<Store, "id" | "name" | "isTest">,
): z.output<typeof tokenSchema> {
  return {
    id,
    name,
    scopes: [...scopes],
    expires_at: expiresAt === undefined ? null : timestamp(expiresAt),
    store: { id: store.id, name: store.name, test: store.isTest },
  };
}
