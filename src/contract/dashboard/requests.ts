import { z } from "zod";
import { Count, DateTime, Time } from "./fields.ts";

/**
 * The account's request log.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /requests?status=&error=&token=&path=&plant=&address=&request_id=&source=&from=&to=&cursor=&limit=` | | 200 RequestPage, newest first; `status` is 409 or 4xx, or several as in 4xx,5xx |
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

/** "dashboard" for a request of the dashboard's page itself. */
const Source = z.literal("dashboard", 'it must be "dashboard"');

export const RequestsQuery = z.object({
  status: StatusFilter.optional(),
  /** A number of the error table. */
  error: Count(0, 99_999).optional(),
  /** The id of a token. */
  token: z.string().max(100).optional(),
  /** The beginning of the path. */
  path: z.string().max(500).optional(),
  /** A plant's id as a decimal. */
  plant: z.string().max(20).optional(),
  address: z.string().max(100).optional(),
  request_id: z.string().max(100).optional(),
  /** Without it the dashboard's own requests are left out, unless one is searched for by its id. */
  source: Source.optional(),
  from: DateTime.optional(),
  to: DateTime.optional(),
  cursor: Count(1, Number.MAX_SAFE_INTEGER).optional(),
  limit: Count(1, 200).default(50),
});

export const RequestRecord = z.object({
  request_id: z.string(),
  at: Time,
  method: z.string(),
  path: z.string(),
  status: z.int(),
  error: z.int().optional(),
  /** The duration in milliseconds. */
  ms: z.number(),
  source: Source.optional(),
  /** Null for a request of the dashboard's page. */
  token: z.object({ id: z.string(), name: z.string() }).nullable(),
  address: z.string().optional(),
  agent: z.string().optional(),
  bytes_in: z.int().optional(),
  message: z.string().optional(),
  plant_id: z.string().optional(),
  replayed: z.boolean().optional(),
  /** The number of similar requests in the same second, if only some of them are stored. */
  sampled_of: z.int().optional(),
  trace_id: z.string().optional(),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

export const RequestPage = z.object({
  data: z.array(RequestRecord),
  next_cursor: z.string().nullable(),
  /**
   * `from` is the time of the oldest stored request. It is null if there is none, or if the log is off
   * (`successes_a_second` is then 0).
   */
  kept: z.object({ from: Time.nullable(), successes_a_second: z.int() }),
});
export type RequestPage = z.infer<typeof RequestPage>;

/** `excerpt` is the beginning of a refused body. */
export const RequestDetail = RequestRecord.extend({ excerpt: z.string().optional() });
export type RequestDetail = z.infer<typeof RequestDetail>;
