import { expect, test } from "bun:test";
import { waitFor } from "@testing-library/react";
import type { Usage } from "#contract/dashboard/usage.ts";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { usageRecord } from "#test/support/dashboard-records.ts";
import { ConnectionBar } from "../components/connection-bar.tsx";
import OverviewPage from "./overview-page.tsx";

const USAGE = usageRecord();
const [bucket] = USAGE.buckets;
const OVERVIEW = { plants: 20, creates_today: 20, errors_today: 3, active_tokens: 1, attention: [] };

function renderOverview(usage: Usage) {
  return renderComponent(<OverviewPage />, {
    answers: {
      "GET /dashboard/api/first-request": { seen: true, plant: null, refused: null },
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /dashboard/api/usage": usage,
      "GET /dashboard/api/tokens": { tokens: [] },
    },
  });
}

test("response times are shown, with their change where there were any before", async () => {
  const { findByRole } = await renderOverview(USAGE);
  expect((await findByRole("link", { name: /^Response p50 ?2 ms/ })).textContent).toMatch(/2 ms−50 ?%? ?.*from 4 ms$/);
  expect((await findByRole("link", { name: /^Response p99 ?30 ms/ })).textContent).toBe("Response p9930 ms");
});

test("where nothing was measured there is no response time", async () => {
  const none = { p50_ms: null, p99_ms: null };
  const { findByText, queryByText } = await renderOverview({
    ...USAGE,
    totals: { ...USAGE.totals, ...none },
    before: null,
  });
  await findByText("Other requests");
  await waitFor(() => expect(queryByText(/^Response/) === null).toBe(true));
});

test("the errors lead to every request of 400 and above in the same time", async () => {
  const { findByRole } = await renderOverview(USAGE);
  const link = await findByRole("link", { name: /^Errors ?3/ });
  const { pathname, searchParams } = new URL(link.getAttribute("href") ?? "", "http://127.0.0.1");
  expect(pathname).toBe("/dashboard/developer/requests");
  expect(Object.fromEntries(searchParams)).toEqual({
    status: "4xx,5xx",
    from: String(bucket?.start),
    to: String(bucket?.end),
  });
});

test("figures that could not be read are missing, and not on their way for ever", async () => {
  const { findByRole } = await renderOverview(refusal(50301, "Too busy") as never);
  await findByRole("alert");
  expect((await findByRole("link", { name: /^Created/ })).textContent).toBe("Created–");
  expect((await findByRole("link", { name: /^Plants/ })).textContent).toBe("Plants20");
});

test("a service that does not answer is said once, above the figures that stay", async () => {
  let gone = false;
  const answer = (body: unknown) => () => {
    if (gone) throw new TypeError("Failed to fetch");
    return body;
  };
  const { page, findByText, findByRole, queryAllByText, queryAllByRole, getAllByText } = await renderComponent(
    <>
      <ConnectionBar />
      <OverviewPage />
    </>,
    {
      answers: {
        "GET /dashboard/api/first-request": answer({ seen: true, plant: null, refused: null }),
        "GET /dashboard/api/overview": answer(OVERVIEW),
        "GET /dashboard/api/usage": answer(USAGE),
        "GET /dashboard/api/tokens": answer({ tokens: [] }),
        "GET /healthz": answer("ok"),
      },
    },
  );
  await findByRole("link", { name: /^Errors ?3/ });
  gone = true;
  await page.queries.refetchQueries();
  await findByText(/does not answer/);
  expect(
    page.queries.getQueryCache().findAll({ predicate: ({ state }) => state.error !== null }).length,
  ).toBeGreaterThanOrEqual(3);
  expect([getAllByText(/does not answer/).length, queryAllByRole("alert").length]).toEqual([1, 0]);
  await findByRole("link", { name: /^Errors ?3/ });
  gone = false;
  await page.service.connection.retryNow();
  await waitFor(() => expect(queryAllByText(/does not answer/)).toEqual([]));
});
