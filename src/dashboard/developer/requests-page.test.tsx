import { expect, test } from "bun:test";
import type { RequestDetail } from "#contract/dashboard/requests.ts";
import { focusedName, noAnswer, refusal, renderComponent, renewalOf } from "#test/support/component.tsx";
import { requestRecord, tokenRecord } from "#test/support/dashboard-records.ts";
import RequestsPage from "./requests-page.tsx";

const PATH = "/dashboard/developer/requests";
const LIST = "GET /dashboard/api/requests";
const ONE = `${LIST}/req_1`;
const KEPT = { from: "2026-03-01T00:00:00.000Z", successes_a_second: 10 };

const pageOf = (data: object[], kept: object = KEPT) => ({ data, next_cursor: null, kept });

function renderRequests(list: unknown, path = PATH, more: Record<string, unknown> = {}) {
  return renderComponent(<RequestsPage />, {
    answers: { [LIST]: list, "GET /dashboard/api/tokens": { tokens: [tokenRecord()] }, ...more },
    route: `${PATH}/:id?`,
    path,
  });
}

for (const [typed, query] of [
  [" req_8fK2 ", "?request_id=req_8fK2"],
  ["-9007199254740993", "?plant=-9007199254740993"],
  ["v1/plants", "?path=%2Fv1%2Fplants"],
] as const) {
  test(`"${typed}" in the search becomes the filter that it means, also after a pause within it`, async () => {
    const { user, calls, findByLabelText, waitFor } = await renderRequests(pageOf([]));
    const field = await findByLabelText(/^Search by/);
    await user.type(field, typed.slice(0, 2));
    await waitFor(() => expect(location.search).not.toBe(""));
    await user.type(field, typed.slice(2));
    await waitFor(() => expect(location.search).toBe(query));
    await waitFor(() => expect(calls()).toContain(`${LIST}${query}`));
  });
}

for (const where of ["pointer", "focus"] as const) {
  test(`no row moves while the ${where} is in the list: new ones are counted, and shown on demand or once it has left`, async () => {
    const record = (at: number) => requestRecord({ request_id: `req_${at}`, path: `/v1/plants/${at}` });
    let newest = 1;
    const list = () => pageOf(Array.from({ length: newest }, (_, at) => record(newest - at)));
    const { page, user, press, findByRole, findByText, getByRole, queryByText, waitFor } = await renderRequests(list);
    const first = await findByRole("button", { name: "GET /v1/plants/1" });
    if (where === "pointer") await user.hover(first);
    else first.focus();
    newest = 3;
    await waitFor(() => expect(renewalOf(page, "/requests")).toBe(false));
    await findByText("Show 2 new", undefined, { timeout: 4000 });
    expect(queryByText("GET /v1/plants/3")).toBeNull();
    if (where === "pointer") await press("Show 2 new");
    else {
      getByRole("button", { name: "Show 2 new" }).focus();
      await user.keyboard("{Enter}");
    }
    await findByText("GET /v1/plants/3");
    if (where === "focus") await waitFor(() => expect(focusedName()).toBe("GET /v1/plants/3"));
    await waitFor(() => expect(queryByText(/^Show \d/) === null).toBe(true));
    newest = 4;
    if (where === "pointer") await user.hover(getByRole("heading", { level: 1 }));
    else getByRole("switch", { name: "Live" }).focus();
    await findByText("GET /v1/plants/4");
    expect(renewalOf(page, "/requests")).toBe(2000);
  });
}

for (const [query, text] of [
  ["?error=40901", /40901/],
  ["?status=409", /409/],
  ["?from=2026-03-10T12:00:00.000Z&to=2026-03-10T13:00:00.000Z", /10 Mar 2026.*10 Mar 2026/],
  ["?to=yesterday", /yesterday/],
] as const) {
  test(`a filter of the address without a control of its own shows, and can be taken away: ${query}`, async () => {
    const { user, findByRole } = await renderRequests(pageOf([]), PATH + query);
    const remove = await findByRole("button", { name: /^Remove the filter/ });
    expect(remove.getAttribute("aria-label")).toMatch(text);
    await user.click(remove);
    expect(location.search).toBe("");
  });
}

test("the filters of the address are those of the list, and clearing them empties the search field too", async () => {
  const { user, calls, findByText, findAllByRole, findByRole, findByLabelText, waitFor } = await renderRequests(
    pageOf([]),
    `${PATH}?plant=9007199254740993&status=4xx`,
  );
  await findByText("No requests match these filters.");
  expect(calls()).toContain(`${LIST}?status=4xx&plant=9007199254740993`);
  const field = await findByLabelText("Search by request id, plant id or path");
  expect(field).toHaveProperty("value", "9007199254740993");
  await user.click((await findAllByRole("button", { name: "Clear all filters" })).at(-1) as HTMLElement);
  await findByRole("heading", { name: "No requests yet" });
  expect(location.search).toBe("");
  await waitFor(() => expect(field).toHaveProperty("value", ""));
});

test("where the operator keeps no log, the page says so", async () => {
  const { findByText } = await renderRequests(pageOf([], { from: null, successes_a_second: 0 }));
  await findByText("The operator has turned the request log off.");
});

test("a request opens by its row with the filters kept, and closes with the focus back there", async () => {
  const { user, findByRole, queryByRole, waitFor } = await renderRequests(
    pageOf([requestRecord()]),
    `${PATH}?status=2xx`,
    { [ONE]: requestRecord() },
  );
  await user.click(await findByRole("button", { name: "GET /v1/plants/7" }));
  await findByRole("dialog", { name: "GET /v1/plants/7" });
  expect(location.pathname + location.search).toBe(`${PATH}/req_1?status=2xx`);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  await waitFor(() =>
    expect([location.pathname + location.search, focusedName()]).toEqual([`${PATH}?status=2xx`, "GET /v1/plants/7"]),
  );
});

/** The panel of one request, with the facts that it tells. */
async function opened(answer: unknown) {
  const rendered = await renderRequests(pageOf([]), `${PATH}/req_1`, { [ONE]: answer, "GET /healthz": noAnswer });
  const facts = async () => {
    const dialog = await rendered.findByRole("dialog", { name: /^(GET|POST) / });
    return Object.fromEntries(
      [...dialog.querySelectorAll("dl > div")].map((row) => [...row.children].map(({ textContent }) => textContent)),
    );
  };
  const link = async (name: string) => (await rendered.findByRole("link", { name })).getAttribute("href");
  return { ...rendered, facts, link };
}

const REFUSED: RequestDetail = {
  ...requestRecord({ method: "POST", path: "/v1/plants", status: 409, error: 40901 }),
  message: "The id 7 is taken by a plant with another `name`",
  excerpt: '{"id":9007199254740993,"name":"It\'s"}',
};

test("of a successful create, whose body is not kept, no line is shown that would fail", async () => {
  const { findByText, queryByRole } = await opened(requestRecord({ method: "POST", path: "/v1/plants" }));
  await findByText("The body of successful requests is not kept.");
  expect(queryByRole("button", { name: "Copy the example" })).toBeNull();
});

test("a body is shown with every digit, and repeated exactly as it was sent, in each language, without a token", async () => {
  const { user, findByRole, findByText, getByText } = await opened(REFUSED);
  await findByText(/"id": 9007199254740993/);
  getByText(/--data-binary '\{"id":9007199254740993,"name":"It'\\''s"\}'/);
  await user.click(await findByRole("button", { name: "Copy the example" }));
  expect(await navigator.clipboard.readText()).toContain("-H 'Authorization: Bearer YOUR_TOKEN'");
  await user.click(await findByRole("tab", { name: "Python" }));
  await findByText(/urllib\.request/);
});

test("a request that the log has dropped is said to be missing, one that cannot be read for another reason is not", async () => {
  const { findByText } = await opened(refusal(40450, "It may be too old"));
  await findByText("This request is not in the log");
  await findByText("It may be too old");
  const other = await opened(refusal(50301, "The storage is away"));
  await other.findByText("The storage is away");
  expect(other.queryByText(/not in the log/)).toBeNull();
});
