import { expect, test } from "bun:test";
import { focusedName, refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import AccountPage from "./account-page.tsx";

const DELETE = "POST /dashboard/api/account/delete";
const EMAIL = "owner@greenleaf.example";

async function opened(answer: unknown = new Response(null, { status: 204 })) {
  const rendered = await renderComponent(<AccountPage />, { session: SESSION, answers: { [DELETE]: answer } });
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

test("a deletion that is refused says so in the dialog, and one stays signed in", async () => {
  const { user, ask, left, findByText } = await opened(refusal(50301, "The storage is away"));
  await user.type(await ask(), `${EMAIL}{Enter}`);
  await findByText("The account could not be deleted");
  await findByText("The storage is away");
  expect(left).toEqual([]);
});

test("Escape deletes nothing, forgets what was typed, and gives the focus back", async () => {
  const { user, ask, calls, queryByRole, waitFor } = await opened();
  await user.type(await ask(), `${EMAIL}{Escape}`);
  await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  await waitFor(() => expect(focusedName()).toBe("Delete this account"));
  expect(calls()).not.toContain(DELETE);
  expect(await ask()).toHaveProperty("value", "");
});
