import { expect, test } from "bun:test";
import { focusedName, noAnswer, renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { slowRefusal } from "#test/support/slow-refusal.ts";
import TokensPage from "./tokens-page.tsx";

const PATH = "/dashboard/developer/tokens";
const LIST = "GET /dashboard/api/tokens";
const TILL = tokenRecord({ id: "tok_till", name: "Till" });
const LAPTOP = tokenRecord({ id: "tok_laptop", name: "Laptop", scopes: ["plants:read"] });

/** The page of tokens of a service that does to them what it is asked. */
function renderTokens(path = PATH) {
  let tokens = [TILL, LAPTOP];
  const change = (id: string, part: Partial<typeof TILL>) => {
    tokens = tokens.map((token) => (token.id === id ? { ...token, ...part } : token));
    return tokens.find((token) => token.id === id);
  };
  return renderComponent(<TokensPage />, {
    answers: {
      [LIST]: () => ({ tokens }),
      "PATCH /dashboard/api/tokens/tok_till": ({ body }: { readonly body: string }) =>
        change("tok_till", JSON.parse(body)),
      "POST /dashboard/api/tokens/tok_till/revoke": () =>
        change("tok_till", { state: "revoked", revoked_at: "2026-03-02T00:00:00.000Z" }),
      "POST /dashboard/api/tokens/tok_till/roll": () => ({ secret: "plant_new", token: TILL }),
    },
    path,
  });
}

test("a row says the token's name, hint, access and state, and opens its details by a step that the back button takes back", async () => {
  const { user, findByRole, getByRole, queryByRole, waitFor, within } = await renderTokens();
  const table = await findByRole("table", { name: "Active tokens" });
  const row = within(table).getAllByRole("row")[2] as HTMLElement;
  for (const text of ["Laptop", "plant_4fQa…x81Z", "read", "Active"]) expect(row.textContent).toContain(text);
  await user.click(getByRole("button", { name: "Laptop" }));
  await findByRole("dialog", { name: "Laptop" });
  expect(location.search).toBe("?token=tok_laptop");
  history.back();
  await waitFor(() => expect(location.search).toBe(""));
  expect(queryByRole("dialog")).toBeNull();
});

test("closing the details gives the focus back to the row that opened them", async () => {
  const { user, findByRole, waitFor, queryByRole } = await renderTokens();
  await user.click(await findByRole("button", { name: "Laptop" }));
  await findByRole("dialog", { name: "Laptop" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(focusedName()).toBe("Laptop"));
});

test("details, then a rename from them, and the focus is back at the row in the end", async () => {
  const { user, findByRole, findByLabelText, within, queryByRole, waitFor } = await renderTokens();
  await user.click(await findByRole("button", { name: "Till" }));
  const details = await findByRole("dialog", { name: "Till" });
  await user.click(within(details).getByRole("button", { name: "Rename" }));
  expect(location.search).toBe("?token=tok_till&do=rename");
  const name = await findByLabelText(/^Name/);
  await user.clear(name);
  await user.type(name, "Shop{Enter}");
  await findByRole("button", { name: "Shop" });
  await waitFor(() => expect(queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(location.search).toBe(""));
  await waitFor(() => expect(focusedName()).toBe("Shop"));
});

test("the menu of a row revokes after the question, and the token folds away", async () => {
  const { user, findByRole, findByText, queryByRole, waitFor } = await renderTokens();
  await user.click(await findByRole("button", { name: "Actions for Till" }));
  await user.click(await findByRole("menuitem", { name: "Revoke" }));
  await findByRole("dialog", { name: /^Revoke Till/ });
  await user.click(await findByRole("button", { name: "Revoke" }));
  await findByText("Till is revoked");
  await findByRole("button", { name: "Show revoked and expired (1)" });
  await waitFor(() => expect(queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(focusedName()).not.toBe("BODY"));
});

test("the menu is worked by keys alone", async () => {
  const { user, findByRole } = await renderTokens();
  (await findByRole("button", { name: "Actions for Till" })).focus();
  await user.keyboard("{Enter}");
  await findByRole("menuitem", { name: "Details" });
  for (let step = 0; step < 4 && focusedName() !== "Rename"; step++) await user.keyboard("{ArrowDown}");
  await user.keyboard("{Enter}");
  await findByRole("dialog", { name: /^Rename Till/ });
});

test("a link opens the roll of a token, and its secret is that of the page's examples from then on", async () => {
  const { user, page, findByRole, findByDisplayValue } = await renderTokens(`${PATH}?token=tok_till&do=roll`);
  await findByRole("dialog", { name: /^Roll Till/ });
  await user.click(await findByRole("button", { name: "Roll token" }));
  await findByDisplayValue("plant_new");
  expect(page.madeToken.get()).toBe("plant_new");
});

test("a token of the address that is not there opens nothing", async () => {
  const { findByRole, queryByRole } = await renderTokens(`${PATH}?token=tok_gone&do=revoke`);
  await findByRole("button", { name: "Till" });
  expect(queryByRole("dialog")).toBeNull();
});

test("a search of the address that finds nothing says so, and can be cleared though the list is short", async () => {
  const { user, findByLabelText, findByRole, findByText } = await renderTokens(`${PATH}?find=nowhere`);
  await findByText("No results for “nowhere”");
  await user.type(await findByLabelText("Search tokens"), "{Backspace}".repeat("nowhere".length));
  await findByRole("button", { name: "Till" });
});

test("a list that takes long shows its shape meanwhile; one that is refused says why and can be asked for again", async () => {
  const slow = slowRefusal({ tokens: [TILL] });
  const rendered = await renderComponent(<TokensPage />, { answers: { [LIST]: slow.answer }, path: PATH });
  await slow.check(rendered);
  await rendered.findByRole("button", { name: "Till" });
});

test("the rows stay while the service is out of reach", async () => {
  let gone = false;
  const { page, findByRole, getByRole } = await renderComponent(<TokensPage />, {
    answers: { [LIST]: () => (gone ? noAnswer() : { tokens: [TILL] }), "GET /healthz": noAnswer },
    path: PATH,
  });
  await findByRole("button", { name: "Till" });
  gone = true;
  await page.queries.refetchQueries();
  expect(page.service.connection.lost.get()).toBe(true);
  getByRole("button", { name: "Till" });
});
