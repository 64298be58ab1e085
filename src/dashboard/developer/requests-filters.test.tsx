import { expect, test } from "bun:test";
import { focusedName, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { requestRecord, tokenRecord } from "#test/support/dashboard-records.ts";
import { slowRefusal } from "#test/support/slow-refusal.ts";
import RequestsPage from "./requests-page.tsx";

const ROUTE = "/dashboard/developer/requests/:id?";
const PATH = "/dashboard/developer/requests";
const LIST = "GET /dashboard/api/requests";
const KEPT = { from: "2026-03-01T00:00:00.000Z", successes_a_second: 10 };

const pageOf = (data: object[], next_cursor: string | null = null, kept: object = KEPT) => ({
  data,
  next_cursor,
  kept,
});

function renderRequests(list: unknown, path = PATH, more: Record<string, unknown> = {}) {
  return renderComponent(<RequestsPage />, {
    answers: { [LIST]: list, "GET /dashboard/api/tokens": { tokens: [tokenRecord()] }, ...more },
    route: ROUTE,
    path,
  });
}

test("each request says its status, method, path, error, token and duration", async () => {
  const { findByRole, getAllByRole } = await renderRequests(
    pageOf([requestRecord({ method: "POST", path: "/v1/plants", status: 409, error: 40901, ms: 12 })]),
  );
  await findByRole("button", { name: "POST /v1/plants" });
  const row = getAllByRole("row")[1]?.textContent ?? "";
  for (const text of ["409", "40901", "Greenhouse import", "12 ms"]) expect(row).toContain(text);
});

for (const [typed, query] of [
  ["req_8fK2", "?request_id=req_8fK2"],
  ["9007199254740993", "?plant=9007199254740993"],
  ["v1/plants", "?path=%2Fv1%2Fplants"],
] as const) {
  test(`"${typed}" in the search becomes the filter that it means, after a pause`, async () => {
    const { user, calls, findByLabelText, waitFor } = await renderRequests(pageOf([]));
    await user.type(await findByLabelText(/^Search by/), typed);
    await waitFor(() => expect(location.search).toBe(query));
    await waitFor(() => expect(calls().some((call) => call.startsWith(`${LIST}${query}`))).toBe(true));
  });
}

test("a status and a token are chosen from their names, and stand in the address together", async () => {
  const { user, findByLabelText, waitFor } = await renderRequests(pageOf([]));
  await user.click(await findByLabelText("5xx"));
  await waitFor(() => expect(location.search).toBe("?status=5xx"));
  await user.selectOptions(await findByLabelText("Token"), "tok_1");
  await waitFor(() => expect(location.search).toBe("?status=5xx&token=tok_1"));
});

test("the dashboard's own requests are shown by a switch, and not before", async () => {
  const { user, calls, findByRole, waitFor } = await renderRequests(pageOf([]));
  await user.click(await findByRole("switch", { name: "The dashboard's own requests" }));
  await waitFor(() => expect(location.search).toBe("?source=dashboard"));
  await waitFor(() => expect(calls().some((call) => call.startsWith(`${LIST}?source=dashboard`))).toBe(true));
});

for (const [query, text] of [
  ["?error=40901", /40901/],
  ["?status=409", /409/],
  ["?from=2026-03-10T12:00:00.000Z&to=2026-03-10T13:00:00.000Z", /10 Mar 2026.*10 Mar 2026/],
  ["?to=2026-03-10T13:00:00.000Z", /10 Mar 2026/],
] as const) {
  test(`a filter of the address without a control of its own shows, and can be taken away: ${query}`, async () => {
    const { user, findByRole } = await renderRequests(pageOf([]), PATH + query);
    const remove = await findByRole("button", { name: /^Remove the filter/ });
    expect(remove.getAttribute("aria-label")).toMatch(text);
    await user.click(remove);
    expect(location.search).toBe("");
  });
}

test("a mistyped time of the address is refused by the service, shown, and can be taken away", async () => {
  const { user, findByRole, findByText } = await renderRequests(
    ({ url }: { readonly url: URL }) =>
      url.searchParams.has("from") ? refusal(40004, "from must be a time") : pageOf([requestRecord()]),
    `${PATH}?from=yesterday`,
  );
  await findByText("from must be a time");
  await user.click(await findByRole("button", { name: /yesterday/ }));
  await findByRole("button", { name: "GET /v1/plants/7" });
});

test("older requests follow on demand, below those that are there", async () => {
  const { user, findByRole, queryByRole } = await renderRequests(({ url }: { readonly url: URL }) =>
    url.searchParams.get("cursor") === "17"
      ? pageOf([requestRecord({ request_id: "req_0", path: "/v1/plants/1" })])
      : pageOf([requestRecord()], "17"),
  );
  await user.click(await findByRole("button", { name: "Show more" }));
  await findByRole("button", { name: "GET /v1/plants/1" });
  await findByRole("button", { name: "GET /v1/plants/7" });
  expect(queryByRole("button", { name: "Show more" })).toBeNull();
});

test("a request opens by its row with the filters kept, and closes with the focus back there", async () => {
  const { user, findByRole, queryByRole, waitFor } = await renderRequests(
    pageOf([requestRecord()]),
    `${PATH}?status=2xx`,
    {
      [`${LIST}/req_1`]: requestRecord(),
    },
  );
  await user.click(await findByRole("button", { name: "GET /v1/plants/7" }));
  await findByRole("dialog", { name: "GET /v1/plants/7" });
  expect(location.pathname + location.search).toBe(`${PATH}/req_1?status=2xx`);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog")).toBeNull());
  await waitFor(() =>
    expect([location.pathname + location.search, focusedName()]).toEqual([`${PATH}?status=2xx`, "GET /v1/plants/7"]),
  );
});

test("what is known of a request leads on: to its token, and to its plant by every digit", async () => {
  const whole = requestRecord({
    plant_id: "9007199254740993",
    agent: "curl/8",
    bytes_in: 42,
    replayed: true,
    trace_id: "4bf92f35",
    sampled_of: 120,
  });
  const { findByRole, getByRole } = await renderRequests(pageOf([]), `${PATH}/req_1`, { [`${LIST}/req_1`]: whole });
  const dialog = await findByRole("dialog", { name: "GET /v1/plants/7" });
  for (const text of ["curl/8", "42 bytes", "4bf92f35", "120"]) expect(dialog.textContent).toContain(text);
  expect(getByRole("link", { name: "9007199254740993" }).getAttribute("href")).toBe(
    "/dashboard/plants?plant=9007199254740993",
  );
  expect(getByRole("link", { name: "Greenhouse import" }).getAttribute("href")).toBe(
    "/dashboard/developer/tokens?token=tok_1",
  );
});

test("a request that cannot be read for another reason is not said to be missing", async () => {
  const { findByText, queryByText } = await renderRequests(pageOf([]), `${PATH}/req_1`, {
    [`${LIST}/req_1`]: refusal(50301, "The storage is away"),
  });
  await findByText("The storage is away");
  expect(queryByText(/not in the log/)).toBeNull();
});

test("in an outage the open request says nothing of its own, and comes by itself afterwards", async () => {
  let gone = true;
  const { page, findByText, findByRole, queryByText } = await renderRequests(pageOf([]), `${PATH}/req_1`, {
    [`${LIST}/req_1`]: () => (gone ? noAnswer() : requestRecord({ agent: "curl/8" })),
    "GET /healthz": () => (gone ? noAnswer() : "ok"),
  });
  await findByRole("dialog", { name: "req_1" });
  expect(queryByText(/not in the log/)).toBeNull();
  gone = false;
  await page.service.connection.retryNow();
  await findByText("curl/8");
});

test("where the operator keeps no log, the page says so", async () => {
  const { findByText } = await renderRequests(pageOf([], null, { from: null, successes_a_second: 0 }));
  await findByText(/operator/);
});

test("a log that takes long shows its shape; a refused one can be asked for again", async () => {
  const slow = slowRefusal(pageOf([requestRecord()]));
  const rendered = await renderRequests(slow.answer);
  await slow.check(rendered);
  await rendered.findByRole("button", { name: "GET /v1/plants/7" });
});

test("while one reads on in older requests, the live list rests; without Live it does too", async () => {
  const { page, user, findByRole } = await renderRequests(pageOf([requestRecord()], "17"));
  await findByRole("button", { name: "GET /v1/plants/7" });
  const interval = () => {
    const [query] = page.queries.getQueryCache().findAll({ queryKey: ["requests"] });
    const { refetchInterval } = query?.observers[0]?.options ?? {};
    return typeof refetchInterval === "function" && query ? refetchInterval(query) : refetchInterval;
  };
  expect(interval()).toBeGreaterThan(0);
  await user.click(await findByRole("switch", { name: "Live" }));
  expect(interval()).toBe(false);
});
