import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { requestRecord } from "#test/support/dashboard-records.ts";
import RequestsPage from "./requests-page.tsx";

const ROUTE = "/dashboard/developer/requests/:id?";
const LIST = "GET /dashboard/api/requests";
const KEPT = { from: "2026-03-01T00:00:00.000Z", successes_a_second: 10 };

const record = requestRecord({ method: "POST", path: "/v1/plants", status: 409, error: 40901 });
const none = { data: [], next_cursor: null, kept: KEPT };

test("the filters of the address are those of the list, and clearing them empties the search field too", async () => {
  const { user, asked, findByText, findByRole, findByLabelText, waitFor } = await renderComponent(<RequestsPage />, {
    answers: { [LIST]: none, "GET /dashboard/api/tokens": { tokens: [] } },
    route: ROUTE,
    path: "/dashboard/developer/requests?plant=9007199254740993&status=4xx",
  });
  await findByText("No requests match these filters.");
  expect(asked.map(({ call }) => call)).toContain(`${LIST}?status=4xx&plant=9007199254740993&limit=50`);
  const field = await findByLabelText("Search by request id, plant id or path");
  expect(field).toHaveProperty("value", "9007199254740993");
  const buttons = document.querySelectorAll("button");
  const clear = [...buttons].filter(({ textContent }) => textContent === "Clear all filters").at(-1);
  await user.click(clear as Element);
  await findByRole("heading", { name: "No requests yet" });
  expect(location.search).toBe("");
  await waitFor(() => expect(field).toHaveProperty("value", ""));
});

test("a request opens beside the list with its reason, advice, and a line to repeat it that holds no token", async () => {
  const { user, findByRole, findByText } = await renderComponent(<RequestsPage />, {
    answers: {
      [LIST]: { data: [record], next_cursor: null, kept: KEPT },
      "GET /dashboard/api/tokens": { tokens: [] },
      [`${LIST}/req_1`]: { ...record, message: "The id 7 is taken", excerpt: '{"id":9007199254740993,"name":"Fern"}' },
    },
    route: ROUTE,
    path: "/dashboard/developer/requests/req_1",
  });
  await findByText("The id 7 is taken.");
  await findByText("Error 40901");
  const dialog = await findByRole("dialog");
  expect(dialog.textContent).toContain("YOUR_TOKEN");
  expect(dialog.textContent).toContain('"id": 9007199254740993');
  const errors = [...dialog.querySelectorAll("a")].find(({ textContent }) => textContent?.startsWith("All requests"));
  expect(errors?.getAttribute("href")).toBe("/dashboard/developer/requests?error=40901");
  await user.keyboard("{Escape}");
});

test("a request that is no longer kept is said to be missing, with the reason", async () => {
  const { findByText } = await renderComponent(<RequestsPage />, {
    answers: {
      [LIST]: none,
      "GET /dashboard/api/tokens": { tokens: [] },
      [`${LIST}/req_9`]: refusal(40450, "It may be too old"),
    },
    route: ROUTE,
    path: "/dashboard/developer/requests/req_9",
  });
  await findByText("This request is not in the log");
  await findByText("It may be too old");
});
