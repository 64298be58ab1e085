import { expect, test } from "bun:test";
import type { AccountRemoval, StoreRemoval } from "#contract/dashboard/account.ts";
import type { Role } from "#contract/dashboard/role.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import AccountPage from "./account-page.tsx";

const DELETE = "POST /dashboard/api/account/delete";
const VIEWED = SESSION.store && { ...SESSION.store, role: "viewer" as const };
const EMAIL = "owner@greenleaf.example";

const removed = (name: string, fate: StoreRemoval["fate"], id = name) => ({ id, name, plants: 12, people: 2, fate });
const NOBODY: AccountRemoval = { stores: [removed("Greenleaf Nursery", "deleted", "acc_1")] };

async function opened(removal: AccountRemoval = NOBODY, store: Partial<SessionView["store"]> = {}) {
  const answers = {
    [DELETE]: new Response(null, { status: 204 }),
    "GET /dashboard/api/account/removal": removal,
  };
  const shown = SESSION.store && { ...SESSION.store, ...store };
  const session = { ...SESSION, store: shown, stores: shown ? [shown] : [] };
  const rendered = await renderComponent(<AccountPage />, { session, answers });
  const { user, findByRole, findByLabelText } = rendered;
  const button = await findByRole("button", { name: "Delete this account" });
  const ask = async () => {
    await user.click(button);
    return findByLabelText(/^Type/);
  };
  return { ...rendered, ask };
}

test("the address is typed with the focus there already, and only all of it can be sent", async () => {
  const { user, ask, calls, findByRole, waitFor } = await opened();
  const typed = await ask();
  await waitFor(() => expect(document.activeElement === typed).toBe(true));
  const remove = await findByRole("button", { name: "Delete the account" });
  await user.type(typed, `${EMAIL.slice(0, -1)}{Enter}`);
  expect([remove.hasAttribute("disabled"), calls().includes(DELETE)]).toEqual([true, false]);
});

test("a deleted account leads out, and leaves nothing in the browser", async () => {
  const { user, ask, left, sent, findByText, waitFor } = await opened();
  sessionStorage.setItem("draft:plant:7", "{}");
  const typed = await ask();
  await findByText(/with 12 plants/);
  await user.type(typed, ` ${EMAIL} {Enter}`);
  await waitFor(() => expect(left).toEqual(["/dashboard/sign-in"]));
  expect(sent(DELETE)).toMatchObject([{ stores: ["acc_1"] }]);
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

test("a further store is offered here to who owns another one than is shown, and to who belongs to none where anybody may sign up", async () => {
  const stores = (...roles: Role[]) => roles.map((role, at) => ({ id: `s${at}`, name: `S${at}`, role, test: false }));
  for (const [session, isOffered] of [
    [{ stores: stores("viewer", "owner"), store: VIEWED }, true],
    [{ stores: stores("viewer", "developer"), store: VIEWED }, false],
    [{}, false],
    [{ stores: [], store: null, signup: "open" }, true],
    [{ stores: [], store: null, signup: "first" }, false],
  ] as const) {
    const { queryByRole, findByRole, unmount } = await renderComponent(<AccountPage />, {
      session: { ...SESSION, ...session },
    });
    await findByRole("button", { name: "Delete this account" });
    expect(queryByRole("button", { name: "New store" }) !== null).toBe(isOffered);
    unmount();
  }
});
