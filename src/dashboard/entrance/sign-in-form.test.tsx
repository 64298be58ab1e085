import { expect, test } from "bun:test";
import { focusedName, held, refusal, renderComponent } from "#test/support/component.tsx";
import { dismissed, passkeyHolder } from "#test/support/passkey-browser.ts";
import { SignInForm } from "./sign-in-form.tsx";

const SIGN_IN = "POST /auth/sign-in/email";
const CODE = "POST /auth/two-factor/verify-totp";
const BACKUP = "POST /auth/two-factor/verify-backup-code";
const EMAIL = "owner@greenleaf.example";
const PASSWORD = "monstera in the rain";

async function opened(answers: Record<string, unknown> = {}, email?: string) {
  const done: string[] = [];
  const rendered = await renderComponent(<SignInForm email={email} done={async () => void done.push("signed in")} />, {
    answers: { [SIGN_IN]: { two_factor: false }, ...answers },
  });
  const { user, findByLabelText } = rendered;
  const address = (await findByLabelText(/^E-mail/)) as HTMLInputElement;
  const password = (await findByLabelText(/^Password/)) as HTMLInputElement;
  const signIn = async () => {
    if (!email) await user.type(address, EMAIL);
    await user.click(password);
    await user.paste(PASSWORD);
    await user.keyboard("{Enter}");
  };
  return { ...rendered, done, address, password, signIn };
}

test("password managers find both fields by the standard's names, and what they fill without typing is sent", async () => {
  const { user, address, password, sent, done, findByRole, waitFor } = await opened();
  expect([address.name, address.type, address.autocomplete]).toEqual(["email", "email", "username webauthn"]);
  expect([password.name, password.type, password.autocomplete]).toEqual(["password", "password", "current-password"]);
  address.value = EMAIL;
  password.value = "filled by a manager";
  await user.click(await findByRole("button", { name: "Sign in" }));
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(sent(SIGN_IN)).toEqual([{ email: EMAIL, password: "filled by a manager", rememberMe: true }]);
});

test("a wrong password keeps both fields, what is typed next replaces it, and it is kept in no storage; the address is", async () => {
  const { user, done, address, password, signIn, findByRole, waitFor } = await opened({
    [SIGN_IN]: refusal(40152, "The e-mail address or the password is wrong"),
  });
  await signIn();
  expect((await findByRole("alert")).textContent).toContain("The e-mail address or the password is wrong");
  await waitFor(() => expect(document.activeElement === password).toBe(true));
  expect(JSON.parse(sessionStorage.getItem("draft:sign-in") ?? "{}")).toEqual({ email: EMAIL });
  expect(JSON.stringify([{ ...sessionStorage }, { ...localStorage }])).not.toContain("monstera");
  await user.keyboard("calathea");
  expect([password.value, address.value, done]).toEqual(["calathea", EMAIL, []]);
});

test("a refusal that comes while the address is being corrected leaves the focus there", async () => {
  const slow = held(refusal(40152, "The e-mail address or the password is wrong"));
  const { user, address, signIn, findByRole } = await opened({ [SIGN_IN]: slow.answer });
  await signIn();
  await user.type(address, "x");
  slow.release();
  await findByRole("alert");
  expect(focusedName()).toBe("E-mail");
});

/** The form at its second step. */
async function atSecondStep(answers: Record<string, unknown>) {
  const rendered = await opened({ [SIGN_IN]: { two_factor: true }, ...answers });
  await rendered.signIn();
  const code = await rendered.findByLabelText(/^Code from your authenticator app/);
  await rendered.waitFor(() => expect(document.activeElement === code).toBe(true));
  expect(rendered.done).toEqual([]);
  return { ...rendered, code };
}

test("a second factor is asked for with the focus in its field, and the code signs in once, without blanks around it", async () => {
  const slow = held({});
  const { user, code, sent, done, waitFor } = await atSecondStep({ [CODE]: slow.answer });
  expect([code.getAttribute("autocomplete"), code.getAttribute("inputmode")]).toEqual(["one-time-code", "numeric"]);
  expect(code.hasAttribute("required")).toBe(true);
  await user.type(code, " 123456 {Enter}{Enter}");
  slow.release();
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(sent(CODE)).toEqual([{ code: "123456", trustDevice: false }]);
});

test("a wrong code is selected in its field, so that the next one replaces it", async () => {
  const { user, code, done, findByText, waitFor } = await atSecondStep({ [CODE]: refusal(40153, "The code is wrong") });
  await user.type(code, "000000{Enter}");
  await findByText("The code is wrong");
  await waitFor(() => expect(document.activeElement === code).toBe(true));
  await user.keyboard("1");
  expect(code).toHaveProperty("value", "1");
  expect(done).toEqual([]);
});

test("without the phone a backup code signs in, with letters and trust if that was ticked; what was typed and refused before is gone", async () => {
  const { user, code, sent, done, findByLabelText, findByRole, findByText, queryByText, waitFor } = await atSecondStep({
    [CODE]: refusal(40153, "The code is wrong"),
    [BACKUP]: {},
  });
  await user.click(await findByLabelText("Trust this device for 30 days"));
  await user.type(code, "000000{Enter}");
  await findByText("The code is wrong");
  await user.click(await findByRole("button", { name: "Use a backup code" }));
  expect(queryByText("The code is wrong")).toBeNull();
  const backup = await findByLabelText(/^Backup code/);
  await waitFor(() => expect(document.activeElement === backup).toBe(true));
  expect([backup.getAttribute("inputmode"), Reflect.get(backup, "value")]).toEqual(["text", ""]);
  await user.type(backup, "mlLlf-bJSBU{Enter}");
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(sent(BACKUP)).toEqual([{ code: "mlLlf-bJSBU", trustDevice: true }]);
});

const VERIFY = "POST /auth/passkey/verify-authentication";
const ASSERTION = { id: "cred_1", type: "public-key" };

test("closing the browser's own dialog for passkeys needs no words, and its answer to the next press signs in", async () => {
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
