import { expect, test } from "bun:test";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import AccountPage from "./account-page.tsx";

const DELETE = "POST /dashboard/api/account/delete";
const EMAIL = "owner@greenleaf.example";

async function opened() {
  const answers = { [DELETE]: new Response(null, { status: 204 }) };
  const rendered = await renderComponent(<AccountPage />, { session: SESSION, answers });
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
  const { user, ask, left, waitFor } = await opened();
  sessionStorage.setItem("draft:plant:7", "{}");
  await user.type(await ask(), ` ${EMAIL} {Enter}`);
  await waitFor(() => expect(left).toEqual(["/dashboard/sign-in"]));
  expect([sessionStorage.length, localStorage.getItem("plantstore-session")]).toEqual([0, null]);
});
