import { expect, test } from "bun:test";
import type { AccountRemoval, StoreRemoval } from "#contract/dashboard/account.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import AccountPage from "./account-page.tsx";

const DELETE = "POST /dashboard/api/account/delete";
const REMOVE_STORE = "POST /dashboard/api/store/delete";
const EMAIL = "owner@greenleaf.example";

const OVERVIEW = { plants: 12, creates_today: 0, errors_today: 0, active_tokens: 3, attention: [] };
const removed = (name: string, fate: StoreRemoval["fate"]): StoreRemoval => ({
  id: name,
  name,
  plants: 12,
  people: 1,
  fate,
});
const NOBODY = { stores: [removed("Greenleaf Nursery", "deleted")] };

async function opened(removal: AccountRemoval = NOBODY, store: Partial<SessionView["store"]> = {}) {
  const answers = {
    [DELETE]: new Response(null, { status: 204 }),
    [REMOVE_STORE]: new Response(null, { status: 204 }),
    "GET /dashboard/api/account/removal": removal,
    "GET /dashboard/api/overview": OVERVIEW,
    "GET /dashboard/api/people": { people: [], invitations: [] },
  };
  const session = { ...SESSION, store: SESSION.store && { ...SESSION.store, ...store } };
  const rendered = await renderComponent(<AccountPage />, { session, answers });
  const { user, findByRole, findByLabelText } = rendered;
  const button = await findByRole("button", { name: "Delete this account" });
  const ask = async () => {
    await user.click(button);
    return findByLabelText(/^Type/);
  };
  return { ...rendered, ask };
}

test("the account's id and its age can be read", async () => {
  const { findByText, container } = await opened();
  await findByText("acc_1");
  expect(container.querySelector("dl time")?.getAttribute("datetime")).toBe("2026-03-01T00:00:00.000Z");
});

test("the address is typed with the focus there already, and only all of it can be sent", async () => {
  const { user, ask, calls, findByRole, waitFor } = await opened();
  const typed = await ask();
  await waitFor(() => expect(document.activeElement === typed).toBe(true));
  const remove = await findByRole("button", { name: "Delete the account" });
  await user.type(typed, `${EMAIL.slice(0, -1)}{Enter}`);
  expect([remove.hasAttribute("disabled"), calls().includes(DELETE)]).toEqual([true, false]);
});

test("a deleted account leads out, and leaves nothing in the browser", async () => {
  const { user, ask, left, findByText, waitFor } = await opened();
  sessionStorage.setItem("draft:plant:7", "{}");
  const typed = await ask();
  await findByText(/with all its plants/);
  await user.type(typed, ` ${EMAIL} {Enter}`);
  await waitFor(() => expect(left).toEqual(["/dashboard/sign-in"]));
  expect([sessionStorage.length, localStorage.getItem("plantstore-session")]).toEqual([0, null]);
});

test("what goes and what stays is listed before; a store that others would keep without an owner must get one first", async () => {
  const { ask, user, findByText, findByRole } = await opened({
    stores: [removed("Alone", "deleted"), removed("Shared", "kept"), removed("Mine", "blocking")],
  });
  const typed = await ask();
  for (const name of ["Alone", "Shared", "Mine"]) await findByText(name);
  await user.type(typed, EMAIL);
  expect((await findByRole("button", { name: "Delete the account" })).hasAttribute("disabled")).toBe(true);
});

test("a store is removed once its name was typed, after its plants and tokens were counted; the reader goes on in another", async () => {
  const { press, user, findByText, findByLabelText, left, sent, waitFor } = await opened();
  await press("Remove this store");
  await findByText("12 plants");
  await findByText(/3 active tokens/);
  await user.type(await findByLabelText(/^Type/), "Greenleaf Nursery{Enter}");
  await waitFor(() => expect(left).toEqual(["/dashboard"]));
  expect(sent(REMOVE_STORE)).toEqual([{ name: "Greenleaf Nursery" }]);
});

test("only an owner finds what changes the store, and only a test store can be emptied", async () => {
  const viewer = await opened(NOBODY, { role: "viewer" });
  expect(viewer.queryByRole("button", { name: /store/i })).toBeNull();
  const owner = await opened();
  await owner.findByRole("button", { name: "Remove this store" });
  expect(owner.queryByRole("button", { name: "Empty this store" })).toBeNull();
  await (await opened(NOBODY, { test: true })).findByRole("button", { name: "Empty this store" });
});
