import type { AccountNumber } from "#core/plant.ts";
import type { LoggedRequest, RequestLogQuery } from "#core/request-log.ts";

export interface Conditions {
  readonly where: string;
  readonly values: readonly (string | number)[];
}

/** In the column of the token, for the dashboard's own requests. */
const DASHBOARD = "dashboard";

/** The column by which requests are found by their token or their source. */
export function tokenColumn({ source, token }: LoggedRequest): string | null {
  return source ?? token?.id ?? null;
}

/** The conditions of a search in the request log, the same for both engines except for the syntax of parameters. */
export function requestConditions(
  account: AccountNumber,
  query: RequestLogQuery,
  parameter: (index: number) => string,
): Conditions {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (left: string, value: string | number | undefined) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(`${left} ${parameter(values.length)}`);
  };
  // The plus keeps SQLite from reading all rows of the account in order to find the one with the id.
  add(query.requestId === undefined ? "account =" : "+account =", account);
  if (query.status !== undefined) {
    const any = query.status.map((status) => {
      values.push(status);
      return `${status < 10 ? "status / 100" : "status"} = ${parameter(values.length)}`;
    });
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
  add("number <", query.before);
  if (query.path !== undefined) {
    add("path >=", query.path);
    // The last code point sorts after every other that may follow the prefix.
    add("path <", `${query.path}\u{10ffff}`);
  }
  return { where: conditions.join(" AND "), values };
}
