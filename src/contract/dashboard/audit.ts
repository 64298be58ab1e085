import { z } from "zod";
import { Count, DateTime, Time } from "./fields.ts";

/**
 * The account's audit log.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /audit?action=&from=&cursor=&limit=` | | 200 AuditPage, newest first; `action=token` finds `token.created` too |
 */

export const AuditQuery = z.object({
  /** An action such as `token.created`, or the first part of several, such as `token`. */
  action: z.string().max(50).optional(),
  /** Only entries at or after this time. */
  from: DateTime.optional(),
  cursor: z
    .string()
    .regex(/^aud_[0-9a-f]{32}$/, "it must be the next_cursor of a page, unaltered")
    .optional(),
  limit: Count(1, 200).default(50),
});

export const AuditRecord = z.object({
  id: z.string(),
  at: Time,
  action: z.string(),
  actor: z.object({ kind: z.enum(["session", "token", "operator", "system"]), id: z.string(), name: z.string() }),
  /** The id of the object of the action, such as a token's. Its name is in `detail`. */
  target: z.string().optional(),
  address: z.string().optional(),
  device: z.string().optional(),
  request_id: z.string().optional(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

export const AuditPage = z.object({ data: z.array(AuditRecord), next_cursor: z.string().nullable() });
export type AuditPage = z.infer<typeof AuditPage>;
