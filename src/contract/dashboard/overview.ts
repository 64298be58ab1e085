import { z } from "zod";
import { DateTime, Time } from "./fields.ts";
import { TokenRecord } from "./tokens.ts";

/**
 * The figures of the first page, and how the first request of a new account went.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /overview?since=` | | 200 Overview; `since`: where the reader's day starts, midnight UTC by default |
 * | `GET /first-request?since=` | | 200 FirstRequest; cheap, may be asked every second |
 */

export const SinceQuery = z.object({ since: DateTime.optional() });

export const Attention = z.discriminatedUnion("kind", [
  /** Expires within 14 days. */
  z.object({ kind: z.literal("expiring"), token: TokenRecord }),
  /** Not used for 90 days. */
  z.object({ kind: z.literal("unused"), token: TokenRecord }),
  /** More than 5 % of today's requests were refused; `error` is the most frequent one. `share` is from 0 to 1. */
  z.object({ kind: z.literal("errors"), share: z.number(), error: z.int(), count: z.int() }),
  /** A token that called a deprecated version of the interface in the last 30 days. */
  z.object({
    kind: z.literal("version"),
    token: TokenRecord,
    version: z.string(),
    requests: z.int(),
    /** Null if no end is set. */
    ends_at: Time.nullable(),
  }),
]);
export type Attention = z.infer<typeof Attention>;

export const Overview = z.object({
  plants: z.int(),
  creates_today: z.int(),
  errors_today: z.int(),
  active_tokens: z.int(),
  attention: z.array(Attention),
});
export type Overview = z.infer<typeof Overview>;

export const FirstRequest = z.object({
  /** True if a token of this account was ever used, or if there are plants. */
  seen: z.boolean(),
  /** The newest plant since then. Its id is a decimal string, since it may be beyond 2^53. */
  plant: z.object({ id: z.string(), name: z.string(), tag: z.string().optional(), created_at: Time }).nullable(),
  /**
   * The most frequent refusal since then, if there was one, for the message "your request arrived, and was refused with
   * 40003".
   */
  refused: z.object({ error: z.int(), count: z.int() }).nullable(),
});
export type FirstRequest = z.infer<typeof FirstRequest>;
