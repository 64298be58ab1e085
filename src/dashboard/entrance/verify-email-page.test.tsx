import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import VerifyEmailPage from "./verify-email-page.tsx";

const VERIFY = "POST /dashboard/api/verify-email";

const opened = (answer: unknown, session: unknown = refusal(40150)) =>
  renderComponent(<VerifyEmailPage />, {
    answers: { [VERIFY]: answer, "GET /dashboard/api/session": session },
    path: "/dashboard/verify-email?token=tok_mailed",
  });

test("opening the link verifies nothing, since mail programs open links by themselves; the button does", async () => {
  const { user, calls, sent, findByRole, findByText, queryByRole } = await opened(
    () => new Response(null, { status: 204 }),
  );
  const button = await findByRole("button", { name: /^Verify/ });
  expect(calls()).toEqual([]);
  await user.click(button);
  await findByText("Your address is verified.");
  expect(sent(VERIFY)).toEqual([{ token: "tok_mailed" }]);
  expect(queryByRole("button", { name: /^Verify/ })).toBeNull();
});

test("a link that is used up tells who is signed in and verified that the address is verified", async () => {
  const { user, findByRole, findByText, queryByRole } = await opened(
    refusal(40355, "This link is used up or too old"),
    { ...SESSION, account: { ...SESSION.account, email_verified: true } },
  );
  await user.click(await findByRole("button", { name: /^Verify/ }));
  await findByText("Your address is verified.");
  expect(queryByRole("alert")).toBeNull();
});
