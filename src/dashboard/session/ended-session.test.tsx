import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import AccountPage from "../settings/account-page.tsx";
import ProfilePage from "../settings/profile-page.tsx";
import { EndedSession } from "./ended-session.tsx";

const OTHER = { ...SESSION, account: { ...SESSION.account, id: "acc_2", email: "other@rose.example" } };

test("another account begins with a document of its own, and nothing that the first one typed is left in the tab", async () => {
  let signedIn = SESSION;
  const { user, left, findByRole, findByLabelText, waitFor } = await renderComponent(
    <>
      <ProfilePage />
      <EndedSession />
    </>,
    {
      session: SESSION,
      answers: {
        "GET /dashboard/api/session": () => signedIn,
        "PATCH /dashboard/api/account": refusal(40150, "Your session has ended"),
        "POST /auth/sign-in/email": () => {
          signedIn = OTHER;
          return { two_factor: false };
        },
      },
    },
  );
  await user.type(await findByRole("textbox", { name: /^Name/ }), " and Sons");
  await user.click(await findByRole("button", { name: "Save" }));
  await findByRole("dialog", { name: "Your session has ended" });
  expect(sessionStorage.getItem("draft:profile")).toContain("and Sons");
  await user.type(await findByLabelText(/^Password/), "monstera in the rain{Enter}");
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
