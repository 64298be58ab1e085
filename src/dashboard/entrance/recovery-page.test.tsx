import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import RecoveryPage from "./recovery-page.tsx";

const LINK = "POST /dashboard/api/recovery/link";
const SET = "POST /dashboard/api/recovery/password";
const FOUND = { email_verified: true, active_tokens: 2, passkeys: 0, identities: 0, webhooks: 1 };
const DONE = () => new Response(null, { status: 204 });
const setting = (answer: unknown, found: unknown = FOUND) =>
  renderComponent(<RecoveryPage />, {
    answers: { [SET]: answer, [LINK]: found },
    path: "/dashboard/recovery?token=tok_mailed",
  });

test("the link leads to a new password, which is kept nowhere, and ends what else gets in if it is ticked", async () => {
  const { user, sent, findByLabelText, findByText, getByRole, queryByLabelText } = await setting(DONE);
  const field = await findByLabelText(/^New password/);
  expect([document.activeElement === field, field.getAttribute("autocomplete")]).toEqual([true, "new-password"]);
  await user.click(await findByLabelText("Disable 1 webhook endpoint"));
  expect(await findByLabelText("Revoke 2 tokens")).toHaveProperty("checked", false);
  expect(queryByLabelText(/passkey/)).toBeNull();
  await user.click(field);
  await user.paste("calathea by the window");
  await user.keyboard("{Enter}");
  await findByText(/Your password is set/);
  expect(sent(LINK)).toEqual([{ token: "tok_mailed" }]);
  expect(sent(SET)).toEqual([{ token: "tok_mailed", password: "calathea by the window", disable_webhooks: true }]);
  expect(getByRole("link", { name: /^Back to/ }).getAttribute("href")).toBe("/dashboard/sign-in");
  expect(sessionStorage.length).toBe(0);
});

test("at an address that was never verified nothing is asked: the page says that all of it ends", async () => {
  const { findByText, queryByLabelText } = await setting(DONE, { ...FOUND, email_verified: false });
  await findByText(/never verified/);
  expect(queryByLabelText("Revoke 2 tokens")).toBeNull();
});

test("a link that is used up says so before a password is typed, and with it", async () => {
  const used = refusal(40355, "This link is used up or too old");
  const { findByText, queryByLabelText } = await setting(DONE, used);
  await findByText("This link is used up or too old");
  expect(queryByLabelText(/^New password/)).toBeNull();
});
