import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import RecoveryPage from "./recovery-page.tsx";

const ASK = "POST /dashboard/api/recovery";
const SET = "POST /dashboard/api/recovery/password";
const DONE = () => new Response(null, { status: 204 });

const asking = (answer: unknown) =>
  renderComponent(<RecoveryPage />, { answers: { [ASK]: answer }, path: "/dashboard/recovery" });
const setting = (answer: unknown) =>
  renderComponent(<RecoveryPage />, { answers: { [SET]: answer }, path: "/dashboard/recovery?token=tok_mailed" });

test("the same is said for every address, so that nobody learns who has an account", async () => {
  const { user, sent, findByLabelText, findByText } = await asking(DONE);
  const email = await findByLabelText(/^E-mail/);
  expect(document.activeElement === email).toBe(true);
  await user.type(email, "owner@greenleaf.example{Enter}");
  await findByText(/^If owner@greenleaf.example has an account/);
  expect(sent(ASK)).toEqual([{ email: "owner@greenleaf.example" }]);
});

test("the link leads to a new password, which is sent with the link's own token and kept nowhere", async () => {
  const { user, sent, findByLabelText, findByText, getByRole } = await setting(DONE);
  const field = await findByLabelText(/^New password/);
  expect([document.activeElement === field, field.getAttribute("autocomplete")]).toEqual([true, "new-password"]);
  await user.click(field);
  await user.paste("calathea by the window");
  await user.keyboard("{Enter}");
  await findByText(/Your password is set/);
  expect(sent(SET)).toEqual([{ token: "tok_mailed", password: "calathea by the window" }]);
  expect(getByRole("link", { name: /^Back to/ }).getAttribute("href")).toBe("/dashboard/sign-in");
  expect(sessionStorage.length).toBe(0);
});

test("a link that is used up says so and keeps the password that was typed", async () => {
  const { user, findByLabelText, findByText } = await setting(refusal(40355, "This link is used up or too old"));
  const field = await findByLabelText(/^New password/);
  await user.click(field);
  await user.paste("calathea by the window");
  await user.keyboard("{Enter}");
  await findByText("This link is used up or too old");
  await findByText("req_test");
  expect(field).toHaveProperty("value", "calathea by the window");
});
