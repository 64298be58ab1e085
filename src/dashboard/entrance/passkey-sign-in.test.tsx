import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { dismissed, passkeyHolder } from "#test/support/passkey-browser.ts";
import { SignInForm } from "./sign-in-form.tsx";

const VERIFY = "POST /auth/passkey/verify-authentication";
const ASSERTION = { id: "cred_1", type: "public-key" };

test("closing the browser's own dialog needs no words, and its answer to the next press signs in", async () => {
  const done: string[] = [];
  passkeyHolder.asked = [];
  passkeyHolder.answers = dismissed;
  const { user, sent, findByRole, queryByRole, waitFor } = await renderComponent(
    <SignInForm done={async () => void done.push("signed in")} />,
    {
      passkeys: true,
      answers: { "GET /auth/passkey/generate-authenticate-options": { challenge: "abc" }, [VERIFY]: {} },
    },
  );
  const button = await findByRole("button", { name: "Sign in with a passkey" });
  await user.click(button);
  await waitFor(() => expect(passkeyHolder.asked).toHaveLength(1));
  await waitFor(() => expect(button.hasAttribute("data-loading")).toBe(false));
  expect(queryByRole("alert")).toBeNull();
  passkeyHolder.answers = () => ASSERTION;
  await user.click(button);
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(passkeyHolder.asked.at(-1)).toEqual({ challenge: "abc" });
  expect(sent(VERIFY)).toEqual([{ response: ASSERTION }]);
});
