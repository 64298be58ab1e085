import { z } from "zod";
import type { AuditRecord as StoredRecord } from "#core/audit.ts";
import { Count, DateTime, type RecordPage } from "./fields.ts";

/**
 * The account's audit log.
 *
 * - `GET /audit?action=&from=&cursor=&limit=`: 200 AuditPage, newest first; `action=token` finds `token.created` too
 */

export const AuditQuery = z.object({
  /** An action such as `token.created`, or the first part of several, such as `token`. */
  action: z.string().max(50).optional(),
  /** Only entries at or after this time. */
  from: DateTime.transform(Date.parse).optional(),
  cursor: z
    .string()
    .regex(/^aud_[0-9a-f]{32}$/, "it must be the next_cursor of a page, unaltered")
    .optional(),
  limit: Count(1, 200).default(50),
});

export interface AuditRecord extends Pick<StoredRecord, "id" | "actor" | "target" | "address" | "device" | "detail"> {
  readonly at: string;
  readonly action: string;
  readonly request_id?: string;
}

export type AuditPage = RecordPage<AuditRecord>;
