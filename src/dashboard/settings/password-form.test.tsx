import { expect, test } from "bun:test";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import { PasswordForm } from "./password-form.tsx";

const CHANGE = "POST /auth/change-password";
const NOTHING_LEFT = { active_tokens: 0, passkeys: 0, identities: 0, webhooks: 0 };

async function renderForm(answers: Record<string, unknown>) {
  const rendered = await renderComponent(<PasswordForm />, { session: SESSION, answers });
  const current = await rendered.findByLabelText(/^Current password/);
  const next = await rendered.findByLabelText(/^New password/);
  const fill = async () => {
    await rendered.user.click(current);
    await rendered.user.paste("monstera in the rain");
    await rendered.user.click(next);
    await rendered.user.paste("another long password");
  };
  return { ...rendered, current, next, fill };
}

test("a changed password is said, both fields are emptied, and nothing more is offered where nothing else gets in", async () => {
  const { user, sent, current, next, fill, findByText, queryByRole } = await renderForm({ [CHANGE]: NOTHING_LEFT });
  await fill();
  await user.keyboard("{Enter}");
  await findByText(/^Changed/);
  expect(sent(CHANGE)).toEqual([
    { currentPassword: "monstera in the rain", newPassword: "another long password", revokeTokens: false },
  ]);
  expect([current, next].map((field) => Reflect.get(field, "value"))).toEqual(["", ""]);
  expect(queryByRole("alert")).toBeNull();
});

test("both passwords are masked until they are shown, may be pasted, and password managers find them and the account's address", async () => {
  const { user, container, current, next, getAllByRole } = await renderForm({});
  const masks = () => [current, next].map((field) => field.getAttribute("type"));
  expect(masks()).toEqual(["password", "password"]);
  await user.click(getAllByRole("button", { name: "Show the password" })[1] as HTMLElement);
  expect(masks()).toEqual(["password", "text"]);
  for (const field of [current, next]) {
    await user.click(field);
    await user.paste("pasted");
    expect(field).toHaveProperty("value", "pasted");
  }
  expect(container.querySelector("input[name=username]")).toHaveProperty("value", "owner@greenleaf.example");
  expect(current.getAttribute("autocomplete")).toBe("current-password");
  expect(next.getAttribute("autocomplete")).toBe("new-password");
});

test("what still works is named, with the ways to end it", async () => {
  const left = { active_tokens: 2, passkeys: 1, identities: 0, webhooks: 1 };
  const { user, fill, findByText, findByRole } = await renderForm({ [CHANGE]: left });
  await fill();
  await user.keyboard("{Enter}");
  await findByText(/2 tokens and 1 passkey still work, and events are sent to 1 webhook endpoint/);
  await findByRole("link", { name: "tokens" });
  await findByRole("link", { name: "endpoints" });
});

test("the tokens that the person made are revoked with the password they had, if that is ticked", async () => {
  const { user, press, fill, sent, findByRole, findByText } = await renderForm({ [CHANGE]: NOTHING_LEFT });
  await user.click(await findByRole("checkbox", { name: "Revoke the tokens that I made" }));
  await fill();
  await press("Change password");
  await findByText(/^Changed/);
  expect(sent(CHANGE)).toMatchObject([{ newPassword: "another long password", revokeTokens: true }]);
});
