import { expect, test } from "bun:test";
import { noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { tokenRecord, usageRecord } from "#test/support/dashboard-records.ts";
import { ConnectionBar } from "../components/connection-bar.tsx";
import DeveloperOverviewPage from "./developer-overview.tsx";

const USAGE = "GET /dashboard/api/usage";
const [BUCKET] = usageRecord().buckets;
const QUIET = { requests: 0, created: 0, other: 0, errors: 0, p50_ms: null, p99_ms: null };

/** What the page asks for, beside its usage. */
const OTHERS = {
  "GET /dashboard/api/overview": { plants: 1234, creates_today: 20, errors_today: 3, active_tokens: 1, attention: [] },
  "GET /dashboard/api/tokens": { tokens: [tokenRecord()] },
};

function renderUsage(usage: unknown, path = "/dashboard/developer/overview") {
  return renderComponent(<DeveloperOverviewPage />, { answers: { ...OTHERS, [USAGE]: usage }, path });
}

function asked(calls: readonly string[]): URLSearchParams {
  const last = calls.filter((call) => call.startsWith(USAGE)).at(-1) ?? "";
  return new URL(last.replace("GET ", ""), "http://x").searchParams;
}

test("the time stands in the address and is asked of the service in the reader's zone", async () => {
  const { user, calls, findByLabelText, waitFor } = await renderUsage(usageRecord());
  for (const [label, range] of Object.entries({ Hour: "hour", Week: "week", Month: "month" })) {
    await user.click(await findByLabelText(label));
    await waitFor(() => expect(location.search).toBe(`?range=${range}`));
    await waitFor(() => expect(asked(calls()).get("range")).toBe(range));
  }
  expect(asked(calls()).get("zone_minutes")).toBe(String(-new Date().getTimezoneOffset()));
});

test("one token's usage is a choice, shown beside that of all, and the links below keep to it", async () => {
  const all = usageRecord({ buckets: [{ ...BUCKET!, requests: 1200, created: 1000 }] });
  const { user, press, calls, findByLabelText, findByRole, findByText, waitFor } = await renderUsage(
    ({ url }: { readonly url: URL }) => (url.searchParams.has("token") ? usageRecord() : all),
  );
  await findByRole("option", { name: /^Greenhouse import/ });
  await user.selectOptions(await findByLabelText("Token"), "tok_1");
  await waitFor(() => expect(calls().some((call) => call.includes("token=tok_1"))).toBe(true));
  await findByText("All tokens", { selector: ".chart-legend span" });
  await press("Show the figures");
  await findByRole("cell", { name: "1,200" });
  expect(location.search).toBe("?token=tok_1");
  const error = await findByRole("link", { name: "40901" });
  expect(error.getAttribute("href")).toBe("/dashboard/developer/requests?error=40901&token=tok_1");
});

test("the figures of the chart are a table too, without the times in which nothing happened, each row a link to its requests", async () => {
  const buckets = [{ start: "2026-03-10T11:00:00.000Z", end: "2026-03-10T12:00:00.000Z", ...QUIET }, BUCKET];
  const { user, findByRole, within } = await renderUsage({ ...usageRecord(), buckets });
  const button = await findByRole("button", { name: "Show the figures" });
  await user.click(button);
  const table = await findByRole("table", { name: "Usage" });
  const rows = within(table).getAllByRole("row");
  expect(rows).toHaveLength(2);
  expect([...(rows[1]?.querySelectorAll("td") ?? [])].slice(1).map(({ textContent }) => textContent)).toEqual([
    "24",
    "20",
    "3",
    "2 ms",
    "30 ms",
  ]);
  const link = new URL(within(table).getByRole("link").getAttribute("href") ?? "", "http://x");
  expect(link.pathname).toBe("/dashboard/developer/requests");
  expect(Object.fromEntries(link.searchParams)).toEqual({ from: String(BUCKET?.start), to: String(BUCKET?.end) });
});

test("a time that is refused says why in the panel, with the request id, and the figures beside it stay", async () => {
  const { findByText, findByRole } = await renderUsage(
    refusal(40004, "from must be within 60 days"),
    "/dashboard/developer/overview?range=own&from=1999-01-01",
  );
  await findByText("from must be within 60 days");
  await findByText("req_test");
  await findByRole("link", { name: /^Plants/ });
});

test("a service that does not answer is said once, above the figures that stay", async () => {
  let gone = false;
  const answers = Object.entries({ ...OTHERS, [USAGE]: usageRecord(), "GET /healthz": "ok" }).map(([call, body]) => [
    call,
    () => (gone ? noAnswer() : body),
  ]);
  const { page, findByText, findByRole, queryAllByText, queryAllByRole, getAllByText, waitFor } = await renderComponent(
    <>
      <ConnectionBar />
      <DeveloperOverviewPage />
    </>,
    { answers: Object.fromEntries(answers) },
  );
  await findByRole("link", { name: /^Refused ?3/ });
  gone = true;
  await page.queries.refetchQueries();
  await findByText(/does not answer/);
  expect(
    page.queries.getQueryCache().findAll({ predicate: ({ state }) => state.error !== null }).length,
  ).toBeGreaterThanOrEqual(3);
  expect([getAllByText(/does not answer/).length, queryAllByRole("alert").length]).toEqual([1, 0]);
  await findByRole("link", { name: /^Refused ?3/ });
  gone = false;
  await page.service.connection.retryNow();
  await waitFor(() => expect(queryAllByText(/does not answer/)).toEqual([]));
});
