import { beforeEach, expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { dismissed, passkeyHolder } from "#test/support/passkey-browser.ts";
import { SignInForm } from "./sign-in-form.tsx";

const OPTIONS = "GET /auth/passkey/generate-authenticate-options";
const VERIFY = "POST /auth/passkey/verify-authentication";
const ASSERTION = { id: "cred_1", type: "public-key" };

beforeEach(() => {
  passkeyHolder.asked = [];
  passkeyHolder.answers = () => ASSERTION;
});

async function pressed(answers: Record<string, unknown> = {}) {
  const done: string[] = [];
  const rendered = await renderComponent(<SignInForm done={async () => void done.push("signed in")} />, {
    passkeys: true,
    answers: { [OPTIONS]: { challenge: "abc" }, [VERIFY]: {}, ...answers },
  });
  const button = await rendered.findByRole("button", { name: "Sign in with a passkey" });
  await rendered.user.click(button);
  return { ...rendered, done, button };
}

test("a passkey signs in with the answer of the browser to the service's challenge", async () => {
  const { sent, done, waitFor } = await pressed();
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(passkeyHolder.asked).toEqual([{ challenge: "abc" }]);
  expect(sent(VERIFY)).toEqual([{ response: ASSERTION }]);
});

test("closing the browser's own dialog needs no words, and the button can be pressed again", async () => {
  passkeyHolder.answers = dismissed;
  const { user, button, done, queryByRole, waitFor } = await pressed();
  await waitFor(() => expect(passkeyHolder.asked).toHaveLength(1));
  await waitFor(() => expect(button.hasAttribute("data-loading")).toBe(false));
  expect(queryByRole("alert")).toBeNull();
  passkeyHolder.answers = () => ASSERTION;
  await user.click(button);
  await waitFor(() => expect(done).toEqual(["signed in"]));
});
