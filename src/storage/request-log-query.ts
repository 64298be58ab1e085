import type { AccountNumber } from "#core/plant.ts";
import type { LogSlice } from "#core/reads.ts";
import type { LoggedRequest, RequestLogQuery } from "#core/request-log.ts";
import type { Select } from "./plant-row.ts";
import { SCANNED_ENTRIES_MAX } from "./shared-reads.ts";

type Value = string | number;
type Row = Partial<Record<"position" | "at" | "entry", string>>;

/** The token column's value for the dashboard's own requests. */
const DASHBOARD = "dashboard";

/** The columns of a kept request. By `token` requests are found by their token or their source. */
export const COLUMNS = "account, request_id, at, status, error, token, path, plant, address, entry";

/** The values of these columns. */
export function columnsOf(request: LoggedRequest): (Value | null)[] {
  const { account, requestId, at, status, error, source, token, path, plantId, address } = request;
  const sought = [error ?? null, source ?? token?.id ?? null, path, plantId ?? null, address ?? null];
  return [account, requestId, at, status, ...sought, JSON.stringify(request)];
}

/** The requests in parts, each of at most `countMax` requests, and of at most `bytesMax` bytes or one request. */
export function* partsOf(requests: readonly LoggedRequest[], countMax: number, bytesMax: number) {
  let part: LoggedRequest[] = [];
  let bytes = 0;
  for (const request of requests) {
    const more = Buffer.byteLength(JSON.stringify(request));
    if (part.length === countMax || (part.length > 0 && bytes + more > bytesMax)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(request);
    bytes += more;
  }
  if (part.length > 0) yield part;
}

/** Searches the log by statements that are the same on both engines. */
export class RequestLogReader {
  constructor(private readonly select: Select) {}

  async list(account: AccountNumber, query: RequestLogQuery): Promise<LogSlice<LoggedRequest>> {
    // A request is found by its id without reading the others.
    const last = query.requestId === undefined ? await this.#endOfSlice(account, query.before) : undefined;
    const { where, values } = this.#conditions(account, query, last?.position);
    const rows = await this.select<Row>(
      `SELECT CAST(number AS text) AS position, entry FROM requests WHERE ${where} ORDER BY requests.number DESC LIMIT ${query.limit + 1}`,
      values,
    );
    const page = rows.slice(0, query.limit);
    const isOver = last === undefined || Number(last.at) < (query.from ?? 0);
    const next = rows.length > query.limit ? page.at(-1)?.position : isOver ? undefined : last.position;
    return { found: page.map(({ entry = "" }) => JSON.parse(entry)), next };
  }

  async oldest(account: AccountNumber): Promise<number | undefined> {
    const sql = "SELECT CAST(at AS text) AS at FROM requests WHERE account = $1 ORDER BY number LIMIT 1";
    const [row] = await this.select<Row>(sql, [account]);
    return row && Number(row.at);
  }

  /** Undefined if the account has no more than a slice may read. */
  async #endOfSlice(account: AccountNumber, before = String(Number.MAX_SAFE_INTEGER)) {
    const [last] = await this.select<Row>(
      `SELECT CAST(number AS text) AS position, CAST(at AS text) AS at FROM requests WHERE account = $1 AND number < $2 ORDER BY requests.number DESC LIMIT 1 OFFSET ${SCANNED_ENTRIES_MAX}`,
      [account, Number(before)],
    );
    return last;
  }

  #conditions(account: AccountNumber, query: RequestLogQuery, first?: string) {
    const conditions: string[] = [];
    const values: Value[] = [];
    const given = (value: Value) => `$${values.push(value)}`;
    const add = (left: string, value: Value | undefined) => {
      if (value !== undefined) conditions.push(`${left} ${given(value)}`);
    };
    // The plus keeps SQLite from reading all rows of the account in order to find the one with the id.
    add(query.requestId === undefined ? "account =" : "+account =", account);
    if (query.status !== undefined) {
      const any = query.status.map((status) => `${status < 10 ? "status / 100" : "status"} = ${given(status)}`);
      conditions.push(`(${any.join(" OR ")})`);
    }
    if (query.source === DASHBOARD) add("token =", DASHBOARD);
    else if (query.requestId === undefined) conditions.push(`(token IS NULL OR token <> '${DASHBOARD}')`);
    add("error =", query.error);
    add("token =", query.token);
    add("plant =", query.plant);
    add("address =", query.address);
    add("request_id =", query.requestId);
    add("at >=", query.from);
    add("at <", query.to);
    add("number <", query.before === undefined ? undefined : Number(query.before));
    add("number >=", first === undefined ? undefined : Number(first));
    if (query.path !== undefined) {
      add("path >=", query.path);
      // The last code point sorts after every other that may follow the prefix.
      add("path <", `${query.path}\u{10ffff}`);
    }
    return { values, where: conditions.join(" AND ") };
  }
}
