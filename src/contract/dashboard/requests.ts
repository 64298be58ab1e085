import { z } from "zod";
import { DateTime, Time } from "./fields.ts";

/**
 * The account's request log.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /requests?status=&error=&token=&path=&plant=&address=&request_id=&from=&to=&cursor=&limit=` | | 200 RequestPage, newest first; `status` is 409 or 4xx, or several as in 4xx,5xx |
 * | `GET /requests/{request_id}` | | 200 RequestDetail; 404 (40450) |
 */

/** A status such as 409, a class of them such as 4xx, or several of these. */
const StatusFilter = z
  .string()
  .regex(
    /^[1-5](?:\d\d|xx)(?:,[1-5](?:\d\d|xx)){0,9}$/,
    "it must be a status such as 409, a class such as 4xx, or at most 10 of these with commas between them",
  )
  .transform((text) => text.split(",").map((status) => Number(status.replace("xx", ""))));

export const RequestsQuery = z.object({
  status: StatusFilter.optional(),
  /** As in the Error shape. */
  error: z.coerce.number().int().min(0).max(99_999).optional(),
  /** A token's id. */
  token: z.string().max(100).optional(),
  /** The beginning of the path. */
  path: z.string().max(500).optional(),
  /** A plant's id as a decimal. */
  plant: z.string().max(20).optional(),
  address: z.string().max(100).optional(),
  request_id: z.string().max(100).optional(),
  from: DateTime.optional(),
  to: DateTime.optional(),
  cursor: z.coerce.number().int().positive().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const RequestRecord = z.object({
  request_id: z.string(),
  at: Time,
  method: z.string(),
  path: z.string(),
  status: z.int(),
  error: z.int().optional(),
  /** Milliseconds. */
  ms: z.number(),
  /** Null for a request of the dashboard's page itself. */
  token: z.object({ id: z.string(), name: z.string() }).nullable(),
  address: z.string().optional(),
  agent: z.string().optional(),
  bytes_in: z.int().optional(),
  message: z.string().optional(),
  plant_id: z.string().optional(),
  replayed: z.boolean().optional(),
  /** How many such requests there were in the same second, where not all are kept. */
  sampled_of: z.int().optional(),
  trace_id: z.string().optional(),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

export const RequestPage = z.object({
  data: z.array(RequestRecord),
  next_cursor: z.string().nullable(),
  /** `from`: of the oldest request that is kept. Null if none is, or if the log is off (`successes_a_second` is 0 then). */
  kept: z.object({ from: Time.nullable(), successes_a_second: z.int() }),
});
export type RequestPage = z.infer<typeof RequestPage>;

/** `excerpt`: the beginning of a body that was refused. */
export const RequestDetail = RequestRecord.extend({ excerpt: z.string().optional() });
export type RequestDetail = z.infer<typeof RequestDetail>;
