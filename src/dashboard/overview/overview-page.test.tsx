import { expect, test } from "bun:test";
import { waitFor } from "@testing-library/react";
import { renderComponent } from "#test/support/component.tsx";
import { usageRecord } from "#test/support/dashboard-records.ts";
import { ConnectionBar } from "../components/connection-bar.tsx";
import OverviewPage from "./overview-page.tsx";

const USAGE = usageRecord();
const OVERVIEW = { plants: 20, creates_today: 20, errors_today: 3, active_tokens: 1, attention: [] };

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
