import { afterEach, expect, test } from "bun:test";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { focusedName, renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { expiryTime } from "./create-token.tsx";
import { chosenTokens } from "./tokens.tsx";
import TokensPage from "./tokens-page.tsx";

const PATH = "/dashboard/developer/tokens";
const LIST = "GET /dashboard/api/tokens";
const TILL = tokenRecord({ id: "tok_till", name: "Till" });
const LAPTOP = tokenRecord({ id: "tok_laptop", name: "Laptop", scopes: ["plants:read", "webhooks:manage"] });
const ENDED = { state: "revoked", revoked_at: "2026-03-02T00:00:00.000Z" } as const;

/** The page of tokens of a service that does to them what it is asked. */
async function renderTokens(path = PATH, given: readonly TokenRecord[] = [TILL, LAPTOP]) {
  let tokens = given;
  const change = (part: Partial<TokenRecord>) => {
    tokens = tokens.map((token) => (token.id === "tok_till" ? { ...token, ...part } : token));
    return tokens[0];
  };
  const rendered = await renderComponent(<TokensPage />, {
    answers: {
      [LIST]: () => ({ tokens }),
      "PATCH /dashboard/api/tokens/tok_till": ({ body }: { readonly body: string }) => change(JSON.parse(body)),
      "POST /dashboard/api/tokens/tok_till/revoke": () => change(ENDED),
      "POST /dashboard/api/tokens/tok_till/roll": ({ body }: { readonly body: string }) => {
        if (JSON.parse(body).overlap_seconds === 0) change(ENDED);
        return { secret: "plant_new", token: TILL };
      },
    },
    path,
  });
  /** The texts of the buttons of the open dialog. */
  const buttons = async () => {
    const all = rendered.within(await rendered.findByRole("dialog")).getAllByRole("button");
    return all.map(({ textContent }) => textContent).filter((text) => text !== "");
  };
  return { ...rendered, buttons };
}

test("details, then a rename from them, and the focus is back at the row in the end", async () => {
  const { user, sent, buttons, findByRole, findByLabelText, queryByRole, waitFor } = await renderTokens();
  await user.click(await findByRole("button", { name: "Till" }));
  expect(await buttons()).toEqual(["Rename", "Roll", "Revoke"]);
  await user.click(await findByRole("button", { name: "Rename" }));
  expect(location.search).toBe("?token=tok_till&do=rename");
  const name = await findByLabelText(/^Name/);
  await user.clear(name);
  await user.type(name, "  Shop {Enter}");
  await findByRole("button", { name: "Shop" });
  await waitFor(() => expect([queryByRole("dialog"), location.search]).toEqual([null, ""]));
  await waitFor(() => expect(focusedName()).toBe("Shop"));
  expect(sent("PATCH /dashboard/api/tokens/tok_till")).toEqual([{ name: "Shop" }]);
});

test("a link opens the roll of a token, whose term starts anew unless another is chosen; its secret is that of the page's examples", async () => {
  const soon = { ...TILL, created_at: "2026-01-01T00:00:00.000Z", expires_at: "2026-04-01T00:00:00.000Z" };
  const roll = async (expiry?: string) => {
    const rendered = await renderTokens(`${PATH}?token=tok_till&do=roll`, [soon]);
    await rendered.findByRole("dialog", { name: /^Roll Till/ });
    await rendered.findByText("As before: in 90 days");
    const field = await rendered.findByLabelText("The new token expires");
    if (expiry) await rendered.user.selectOptions(field, expiry);
    await rendered.user.click(await rendered.findByRole("button", { name: "Roll token" }));
    await rendered.findByDisplayValue("plant_new");
    expect(rendered.page.madeToken.get()).toBe("plant_new");
    return rendered.sent("POST /dashboard/api/tokens/tok_till/roll");
  };
  expect(await roll()).toEqual([{ overlap_seconds: 86_400 }]);
  expect(await roll("never")).toEqual([{ overlap_seconds: 86_400, expires_at: null }]);
});

test("the secret of a roll that ends the token at once is shown until it was copied", async () => {
  const { user, press, findByRole, findByLabelText, findByDisplayValue } = await renderTokens(
    `${PATH}?token=tok_till&do=roll`,
  );
  await user.selectOptions(await findByLabelText(/^The old token/), "Immediately");
  await press("Roll token");
  await findByRole("button", { name: "Show revoked and expired (1)", hidden: true });
  await findByDisplayValue("plant_new");
});

for (const [what, more, word, actions] of [
  [
    "that its roll has replaced",
    { revoked_at: "2999-01-01T00:00:00.000Z" },
    /Being replaced.*Ends/,
    ["Rename", "Revoke"],
  ],
  ["that was revoked", ENDED, /Revoked.*Revoked/, ["Rename"]],
  ["that has expired", { state: "expired", expires_at: "2026-03-02T00:00:00.000Z" }, /Expired/, ["Rename"]],
] as const) {
  test(`a token ${what} says so, and offers only what can still be done to it, whatever the address asks`, async () => {
    const { buttons, findByRole } = await renderTokens(`${PATH}?token=tok_till&do=roll`, [{ ...TILL, ...more }]);
    expect((await findByRole("dialog", { name: "Till" })).textContent).toMatch(word);
    expect(await buttons()).toEqual([...actions]);
  });
}

test("a long list grows on demand and is searched, in the address; a search that finds nothing says so and can be cleared", async () => {
  const tokens = Array.from({ length: 23 }, (_, index) => tokenRecord({ id: `tok_${index}`, name: `Till ${index}` }));
  const { user, press, findByRole, findByText, findByLabelText, waitFor } = await renderTokens(PATH, tokens);
  const rows = async () => (await findByRole("table", { name: "Active tokens" })).querySelectorAll("tbody tr").length;
  expect(await rows()).toBe(20);
  await press("Show more");
  expect(await rows()).toBe(23);
  expect(location.search).toBe("?shown=40");
  await user.type(await findByLabelText("Search tokens"), "22");
  await waitFor(async () => expect(await rows()).toBe(1));
  expect(location.search).toBe("?find=22");
  await user.type(await findByLabelText("Search tokens"), "x");
  await findByText("No results for “22x”");
  await user.click(await findByRole("button", { name: "Clear" }));
  expect(await rows()).toBe(20);
});

test("each order is what its label says, what never expires and was never used comes last; a name or hint finds a token in any case", () => {
  const token = (name: string, created: string, used: string | null, expires: string | null) =>
    tokenRecord({ name, hint: `plant_${name}…`, created_at: created, last_used_at: used, expires_at: expires });
  const tokens = [
    token("Oak", "2026-01-01T00:00:00.000Z", null, "2026-09-01T00:00:00.000Z"),
    token("Ash", "2026-02-01T00:00:00.000Z", "2026-02-02T00:00:00.000Z", null),
    token("Elm", "2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z", "2026-04-01T00:00:00.000Z"),
  ];
  const names = (text: string, order: string) => chosenTokens(tokens, text, order).map(({ name }) => name);
  for (const order of ["", "__proto__"]) expect(names("", order)).toEqual(["Elm", "Ash", "Oak"]);
  expect(names("", "name")).toEqual(["Ash", "Elm", "Oak"]);
  expect(names("", "used")).toEqual(["Elm", "Ash", "Oak"]);
  expect(names("", "expires")).toEqual(["Elm", "Oak", "Ash"]);
  expect([names(" oA", "name"), names("PLANT_ELM", "name"), names("beech", "name")]).toEqual([["Oak"], ["Elm"], []]);
});

test("an expiry is so many times 24 hours from now, never, or the end of a day in the reader's zone that is not over", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  expect(expiryTime({ expiry: "7", date: "" }, now)).toBe("2026-03-08T12:00:00.000Z");
  expect(expiryTime({ expiry: "never", date: "" }, now)).toBeNull();
  const end = new Date("2026-03-05T23:59:59").toISOString();
  expect(expiryTime({ expiry: "date", date: "2026-03-05" }, now)).toBe(end);
  for (const date of ["", "soon", "2026-02-28"]) {
    expect(() => expiryTime({ expiry: "date", date }, now)).toThrow("in the future");
  }
});

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

for (const [place, day] of [
  ["Pacific/Auckland", "2026-03-02"],
  ["America/Los_Angeles", "2026-03-01"],
] as const) {
  test(`the first day that can be chosen is the reader's own by the service's clock, in ${place}`, async () => {
    process.env.TZ = place;
    const headers = { Date: new Date("2026-03-01T20:00:00Z").toUTCString() };
    const { user, findByLabelText } = await renderComponent(<TokensPage />, {
      answers: { [LIST]: Response.json({ tokens: [TILL] }, { headers }) },
      path: `${PATH}?token=tok_till&do=roll`,
    });
    await user.selectOptions(await findByLabelText("The new token expires"), "Custom date");
    expect((await findByLabelText(/^Last day/)).getAttribute("min")).toBe(day);
  });
}
