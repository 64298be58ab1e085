import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import AccountPage from "../settings/account-page.tsx";
import ProfilePage from "../settings/profile-page.tsx";
import { EndedSession } from "./ended-session.tsx";

const SAVE = "PATCH /dashboard/api/account";
const SIGN_IN = "POST /auth/sign-in/email";
const OTHER = { ...SESSION, account: { ...SESSION.account, id: "acc_2", email: "other@rose.example" } };

/** The profile of a reader whose session ends before it is saved. */
async function ended(signsInAs = SESSION) {
  let signedIn = SESSION;
  let over = true;
  const rendered = await renderComponent(
    <>
      <ProfilePage />
      <EndedSession />
    </>,
    {
      session: SESSION,
      answers: {
        "GET /dashboard/api/session": () => signedIn,
        [SAVE]: () => (over ? refusal(40150, "Your session has ended") : SESSION),
        [SIGN_IN]: () => {
          signedIn = signsInAs;
          over = false;
          return { two_factor: false };
        },
      },
    },
  );
  const { user, findByRole, findByLabelText } = rendered;
  await user.type(await findByRole("textbox", { name: /^Name/ }), " and Sons");
  await user.click(await findByRole("button", { name: "Save" }));
  const dialog = await findByRole("dialog", { name: "Your session has ended" });
  const signIn = async () => user.type(await findByLabelText(/^Password/), "monstera in the rain{Enter}");
  return { ...rendered, dialog, signIn };
}

test("the password is asked for above the page, which is as it was afterwards, with what was typed, and can be saved", async () => {
  const { user, sent, dialog, signIn, findByRole, findByText, queryByRole, waitFor, within } = await ended();
  expect(within(dialog).getByLabelText(/^E-mail/)).toHaveProperty("value", "owner@greenleaf.example");
  await waitFor(() => expect(document.activeElement?.getAttribute("name")).toBe("password"));
  await signIn();
  await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  expect(await findByRole("textbox", { name: /^Name/ })).toHaveProperty("value", "Greenleaf Nursery and Sons");
  await user.click(await findByRole("button", { name: "Save" }));
  await findByText("Saved");
  expect(sent(SAVE).at(-1)).toEqual({ name: "Greenleaf Nursery and Sons" });
});

test("another account begins with a document of its own, and nothing that the first one typed is left in the tab", async () => {
  const { left, signIn, waitFor } = await ended(OTHER);
  expect(sessionStorage.getItem("draft:profile")).toContain("and Sons");
  await signIn();
  await waitFor(() => expect(left).toEqual(["/dashboard"]));
  expect(sessionStorage.length).toBe(0);
});

test("Escape closes neither it nor the dialog below it, so that it goes on after the sign-in", async () => {
  const { user, findByRole, findByLabelText, getByRole } = await renderComponent(
    <>
      <AccountPage />
      <EndedSession />
    </>,
    { session: SESSION, answers: { "POST /dashboard/api/account/delete": refusal(40150, "Your session has ended") } },
  );
  await user.click(await findByRole("button", { name: "Delete this account" }));
  const typed = await findByLabelText(/^Type/);
  await user.type(typed, "owner@greenleaf.example{Enter}");
  await findByRole("dialog", { name: "Your session has ended" });
  await user.keyboard("{Escape}");
  getByRole("dialog", { name: "Your session has ended" });
  getByRole("dialog", { name: "Delete this account?", hidden: true });
  expect(typed).toHaveProperty("value", "owner@greenleaf.example");
});
