import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
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
