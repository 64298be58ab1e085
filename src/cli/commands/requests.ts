import type { Command } from "commander";
import { wait } from "#client/deadline.ts";
import { counted } from "#contract/counted.ts";
import { type RequestRecord, RequestsQuery } from "#contract/dashboard/requests.ts";
import { firstFault } from "#contract/refused-member.ts";
import { requestRecord } from "#contract/request-record.ts";
import type { StoreCaller } from "#core/caller.ts";
import type { LoggedRequest, RequestLogQuery } from "#core/request-log.ts";
import { newestEntries } from "#server/operator/newest-entries.ts";
import { inStore, type Operator } from "#server/operator/operator.ts";
import { group, storeCommand } from "../command.ts";
import { untilInterrupted } from "../interrupt.ts";
import { type Columns, printJson, printLine, printRows, printTable } from "../output.ts";
import { UsageError } from "../report.ts";
import { limitOption } from "../typed-values.ts";

const TAIL_EVERY_MS = 1000;
const REQUESTS_SHOWN_MAX = 200;

export function requestsCommand(): Command {
  return group(
    "requests",
    "look at an account's request log",
    filtered("list", "the newest requests", "plantstore requests list --account grower@example.com --status 4xx")
      .addOption(limitOption("requests at most", { max: REQUESTS_SHOWN_MAX, fallback: 50 }))
      .action(async ({ limit, ...filters }: Filters & { readonly limit: number }) => {
        const query = queryOf(filters, limit);
        const found = await inStore(filters.account, searching(query));
        printRows(filters.json, found.toReversed().map(requestRecord), COLUMNS);
      }),
    filtered(
      "tail",
      "show requests as they come, until Ctrl-C",
      "plantstore requests tail --account grower@example.com",
    ).action(async (filters: Filters) => {
      const query = queryOf(filters, REQUESTS_SHOWN_MAX);
      let shown = 0;
      const show = (found: readonly LoggedRequest[]) => {
        const records = found.map(requestRecord);
        if (filters.json) for (const record of records) printLine(JSON.stringify(record));
        else if (records.length > 0) printTable(records, COLUMNS, shown === 0);
        shown += found.length;
      };
      await inStore(filters.account, (operator, caller) =>
        untilInterrupted(
          (signal) => follow((from) => searching({ ...query, from })(operator, caller), show, signal),
          () => `${counted(shown, "request")} shown`,
        ),
      );
    }),
    storeCommand("get", "one request", "plantstore requests get req_… --account grower@example.com")
      .argument("<id>", "the request's id")
      .action(async (id: string, { account, json }: { account: string; json?: boolean }) => {
        const [request] = await inStore(account, searching({ requestId: id, limit: 1 }));
        if (!request) throw new Error(`There is no request ${id} in the log of ${account}`);
        const record = { ...requestRecord(request), excerpt: request.excerpt };
        if (json) return printJson(record);
        const rows = Object.entries(record).filter(([, value]) => value !== undefined && value !== null);
        printTable(rows, {
          MEMBER: ([name]) => name,
          VALUE: ([, value]) => (typeof value === "object" ? JSON.stringify(value) : String(value)),
        });
      }),
  );
}

interface Filters {
  readonly account: string;
  readonly status?: string;
  readonly error?: string;
  readonly source?: string;
  readonly json?: boolean;
}

const COLUMNS: Columns<RequestRecord> = {
  AT: ({ at }) => at,
  STATUS: ({ status, error }) => String(error ?? status),
  METHOD: ({ method }) => method,
  PATH: ({ path }) => path,
  MS: ({ ms }) => String(ms),
  TOKEN: ({ token, person }) => (token ?? person)?.name ?? "",
  REQUEST: ({ request_id }) => request_id,
  MESSAGE: ({ message }) => message ?? "",
};

function filtered(name: string, description: string, example: string): Command {
  return storeCommand(name, description, example)
    .option("--status <status>", "a status such as 409, a class such as 4xx, or several, such as 4xx,5xx")
    .option("--error <number>", "the number in the Error shape, such as 40901")
    .option("--source <source>", '"dashboard" for the dashboard\'s own requests, which are left out otherwise');
}

/** Shows each request once, the oldest first, until the signal aborts. */
async function follow(
  searchSince: (from: number) => Promise<readonly LoggedRequest[]>,
  show: (found: readonly LoggedRequest[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let from = Date.now();
  let seen: ReadonlySet<string> = new Set();
  for (;;) {
    // A look that takes long does not see what is written meanwhile.
    const lookedAt = Date.now();
    const found = await searchSince(from);
    show(found.filter(({ requestId }) => !seen.has(requestId)).reverse());
    // A node writes once a second, so older requests have already been shown.
    from = Math.max(from, lookedAt - 10 * TAIL_EVERY_MS);
    seen = new Set(found.map(({ requestId }) => requestId));
    await wait(TAIL_EVERY_MS, signal);
  }
}

/** Throws UsageError for a filter that makes no sense. */
function queryOf({ status, error, source }: Filters, limit: number): RequestLogQuery {
  const given = { status, error, source, limit: String(limit) };
  const query = RequestsQuery.safeParse(given);
  if (query.success) return { ...query.data, requestId: undefined, from: undefined, to: undefined };
  const { path, problem } = firstFault(query.error, given);
  throw new UsageError(`--${path.join(".")} ${problem}`);
}

function searching(query: RequestLogQuery) {
  return ({ reads }: Operator, { account }: StoreCaller): Promise<readonly LoggedRequest[]> =>
    newestEntries(reads.requests, account, query);
}
