import { Command } from "commander";
import { wait } from "#client/abort.ts";
import { type RequestRecord, RequestsQuery } from "#contract/dashboard/requests.ts";
import { requestRecord } from "#contract/request-record.ts";
import type { FoundRequest, RequestLogQuery } from "#core/request-log.ts";
import type { Operator } from "#server/operator.ts";
import { command } from "../command.ts";
import { untilInterrupted } from "../interrupt.ts";
import { asOperator } from "../operator.ts";
import { type Column, printJson, printJsonLine, printTable } from "../output.ts";
import { WrongUsage } from "../report.ts";

const ACCOUNT = ["--account <email>", "the account's e-mail address"] as const;
const TAIL_EVERY_MS = 1000;
const TAIL_LENGTH_MAX = 200;

export function requestsCommand(): Command {
  const requests = new Command("requests").description("look at an account's request log");
  requests.addCommand(listCommand());
  requests.addCommand(tailCommand());
  requests.addCommand(getCommand());
  return requests;
}

interface Filters {
  readonly account: string;
  readonly status?: string;
  readonly error?: string;
  readonly limit: string;
  readonly json?: boolean;
}

const COLUMNS: readonly Column<RequestRecord>[] = [
  { title: "AT", value: ({ at }) => at },
  { title: "STATUS", value: ({ status, error }) => String(error ?? status) },
  { title: "METHOD", value: ({ method }) => method },
  { title: "PATH", value: ({ path }) => path },
  { title: "MS", value: ({ ms }) => String(ms) },
  { title: "TOKEN", value: ({ token }) => token?.name ?? "" },
  { title: "REQUEST", value: ({ request_id }) => request_id },
  { title: "MESSAGE", value: ({ message }) => message ?? "" },
];

function filtered(name: string, description: string, example: string): Command {
  return command(name, description, example)
    .requiredOption(...ACCOUNT)
    .option("--status <status>", "a status such as 409, a class such as 4xx, or several, such as 4xx,5xx")
    .option("--error <number>", "the number in the Error shape, such as 40901");
}

function listCommand(): Command {
  return filtered("list", "the newest requests", "plantstore requests list --account grower@example.com --status 4xx")
    .option("--limit <count>", "at most so many", "50")
    .action(async (filters: Filters) => {
      const found = await asOperator((operator) => search(operator, filters, {}));
      print(found.reverse(), filters.json);
    });
}

function tailCommand(): Command {
  return filtered(
    "tail",
    "show requests as they come, until Ctrl-C",
    "plantstore requests tail --account grower@example.com",
  ).action(async (filters: Filters) => {
    const seen = new Set<string>();
    await untilInterrupted(
      (signal) => asOperator((operator) => follow(operator, filters, seen, signal)),
      () => `${seen.size} requests were shown`,
    );
  });
}

async function follow(operator: Operator, filters: Filters, seen: Set<string>, signal: AbortSignal): Promise<never> {
  for (let from = Date.now(); ; await wait(TAIL_EVERY_MS, signal)) {
    const found = await search(operator, { ...filters, limit: String(TAIL_LENGTH_MAX) }, { from });
    const fresh = found.filter(({ request }) => !seen.has(request.requestId)).reverse();
    for (const { request } of fresh) seen.add(request.requestId);
    // A node writes once a second, so older requests have already been shown.
    from = Date.now() - 10 * TAIL_EVERY_MS;
    if (fresh.length > 0) print(fresh, filters.json, true);
  }
}

function getCommand(): Command {
  return command("get", "one request", "plantstore requests get req_… --account grower@example.com")
    .argument("<id>", "the request's id")
    .requiredOption(...ACCOUNT)
    .action(async (id: string, { account: email, json }: { account: string; json?: boolean }) => {
      const [found] = await asOperator(async ({ accounts, store }) => {
        const { number } = await accounts.require(email);
        return store.requests.list(number, { requestId: id, limit: 1 });
      });
      if (!found) throw new Error(`There is no request ${id} in the log of ${email}`);
      const { request } = found;
      const record = { ...requestRecord(request), excerpt: request.excerpt };
      if (json) return printJson(record);
      const rows = Object.entries(record).filter(([, value]) => value !== undefined && value !== null);
      printTable(rows, [
        { title: "MEMBER", value: ([name]) => name },
        { title: "VALUE", value: ([, value]) => (typeof value === "object" ? JSON.stringify(value) : String(value)) },
      ]);
    });
}

async function search(
  { accounts, store }: Operator,
  { account: email, status, error, limit }: Filters,
  more: Partial<RequestLogQuery>,
): Promise<FoundRequest[]> {
  const { number } = await accounts.require(email);
  const query = RequestsQuery.safeParse({ status, error, limit });
  if (!query.success) {
    const [issue] = query.error.issues;
    throw new WrongUsage(`--${issue?.path.join(".")}: ${issue?.message}`);
  }
  return store.requests.list(number, { ...query.data, requestId: undefined, from: undefined, to: undefined, ...more });
}

function print(found: readonly FoundRequest[], json = false, asLines = false): void {
  const records = found.map(({ request }) => requestRecord(request));
  if (!json) printTable(records, COLUMNS);
  else if (asLines) for (const record of records) printJsonLine(record);
  else printJson(records);
}
