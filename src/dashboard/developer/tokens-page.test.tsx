import { expect, test } from "bun:test";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import TokensPage from "./tokens-page.tsx";

const PATH = "/dashboard/developer/tokens";
const LIST = "GET /dashboard/api/tokens";

const token = (id: string, more: Partial<TokenRecord> = {}) => tokenRecord({ id, name: id, ...more });

const LAPTOP = token("Laptop", { state: "revoked", revoked_at: "2026-03-02T00:00:00.000Z" });
const TILL = token("Till");

function headings(table: Element): (string | null)[] {
  return [...table.querySelectorAll("th")].map(({ textContent }) => textContent);
}

test("tokens that ended are folded away, in a table that says when they ended", async () => {
  const page = await renderComponent(<TokensPage />, {
    answers: { [LIST]: { tokens: [TILL, LAPTOP] } },
    path: PATH,
  });
  const active = await page.findByRole("table", { name: "Active tokens" });
  expect(headings(active)).toContain("Expires");
  expect(active.textContent).not.toContain("Laptop");
  await page.user.click(await page.findByRole("button", { name: /revoked and expired \(1\)/ }));
  const ended = await page.findByRole("table", { name: "Revoked and expired tokens" });
  expect([headings(ended).includes("Ended"), headings(ended).includes("Expires")]).toEqual([true, false]);
  expect(location.search).toBe("?ended=shown");
});

test("an ended token can be looked at, and neither rolled nor revoked", async () => {
  const page = await renderComponent(<TokensPage />, {
    answers: { [LIST]: { tokens: [LAPTOP] } },
    path: `${PATH}?token=Laptop&do=revoke`,
  });
  const dialog = await page.findByRole("dialog");
  const buttons = [...dialog.querySelectorAll("button")].map(({ textContent }) => textContent);
  expect(buttons.filter((text) => /roll|revoke/i.test(text ?? ""))).toEqual([]);
});

test("a long list is searched and turned by the address", async () => {
  const tokens = Array.from({ length: 23 }, (_, index) => token(`Till ${index}`));
  const page = await renderComponent(<TokensPage />, { answers: { [LIST]: { tokens } }, path: `${PATH}?page=2` });
  const table = await page.findByRole("table", { name: "Active tokens" });
  expect(table.querySelectorAll("tbody tr")).toHaveLength(3);
  await page.user.type(await page.findByLabelText("Search tokens"), "22");
  await page.waitFor(() => expect(table.querySelectorAll("tbody tr")).toHaveLength(1));
  expect(location.search).toBe("?find=22");
});

test("without a token the page says what one is for", async () => {
  const page = await renderComponent(<TokensPage />, { answers: { [LIST]: { tokens: [] } }, path: PATH });
  await page.findByRole("heading", { name: "No tokens yet" });
});
