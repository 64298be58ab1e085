import { expect, test } from "bun:test";
import { held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { SignInForm } from "./sign-in-form.tsx";

const SIGN_IN = "POST /auth/sign-in/email";
const CODE = "POST /auth/two-factor/verify-totp";
const BACKUP = "POST /auth/two-factor/verify-backup-code";

async function opened(answers: Record<string, unknown>, email?: string) {
  const done: string[] = [];
  const rendered = await renderComponent(<SignInForm email={email} done={async () => void done.push("signed in")} />, {
    answers: { [SIGN_IN]: { two_factor: true }, ...answers },
  });
  const { user, findByLabelText } = rendered;
  const signIn = async () => {
    if (!email) await user.type(await findByLabelText(/^E-mail/), "owner@greenleaf.example");
    await user.click(await findByLabelText(/^Password/));
    await user.paste("monstera in the rain");
    await user.keyboard("{Enter}");
  };
  return { ...rendered, done, signIn };
}

test("the right password signs in, and this browser is remembered", async () => {
  const { sent, done, signIn, waitFor } = await opened({ [SIGN_IN]: { two_factor: false } });
  await signIn();
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(sent(SIGN_IN)).toEqual([
    { email: "owner@greenleaf.example", password: "monstera in the rain", rememberMe: true },
  ]);
});

test("a wrong password keeps both fields, and what is typed next replaces it", async () => {
  const { user, done, signIn, findByLabelText, findByText, waitFor } = await opened({
    [SIGN_IN]: refusal(40152, "Not these"),
  });
  await signIn();
  await findByText("Not these");
  const password = await findByLabelText(/^Password/);
  await waitFor(() => expect(document.activeElement === password).toBe(true));
  await user.keyboard("calathea");
  expect(password).toHaveProperty("value", "calathea");
  expect(await findByLabelText(/^E-mail/)).toHaveProperty("value", "owner@greenleaf.example");
  expect(done).toEqual([]);
});

test("without an answer both fields stay", async () => {
  const { signIn, findByLabelText, findByText } = await opened({ [SIGN_IN]: noAnswer });
  await signIn();
  await findByText(/does not answer/);
  expect(await findByLabelText(/^Password/)).toHaveProperty("value", "monstera in the rain");
});

test("the address is kept for a reload in this tab, the password never", async () => {
  const { signIn, findByText } = await opened({ [SIGN_IN]: refusal(40152, "Not these") });
  await signIn();
  await findByText("Not these");
  expect(JSON.stringify({ ...sessionStorage })).toContain("owner@greenleaf.example");
  expect(JSON.stringify([{ ...sessionStorage }, { ...localStorage }])).not.toContain("monstera");
});

test("a second factor is asked for with the focus in its field, and the code signs in without blanks around it", async () => {
  const { user, sent, done, signIn, findByLabelText, waitFor } = await opened({ [CODE]: {} });
  await signIn();
  const code = await findByLabelText(/^Code from your authenticator app/);
  await waitFor(() =>
    expect([document.activeElement === code, code.getAttribute("autocomplete")]).toEqual([true, "one-time-code"]),
  );
  expect(done).toEqual([]);
  await user.type(code, " 123456 {Enter}");
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(sent(CODE)).toEqual([{ code: "123456", trustDevice: false }]);
});

test("a trusted device is one that was ticked", async () => {
  const { user, sent, signIn, findByLabelText, waitFor } = await opened({ [CODE]: {} });
  await signIn();
  await user.click(await findByLabelText("Trust this device for 30 days"));
  await user.type(await findByLabelText(/^Code from your authenticator app/), "123456{Enter}");
  await waitFor(() => expect(sent(CODE)).toEqual([{ code: "123456", trustDevice: true }]));
});

test("a wrong code is selected in its field, so that the next one replaces it", async () => {
  const { user, done, signIn, findByLabelText, findByText, waitFor } = await opened({
    [CODE]: refusal(40153, "The code is wrong"),
  });
  await signIn();
  const code = await findByLabelText(/^Code from your authenticator app/);
  await user.type(code, "000000{Enter}");
  await findByText("The code is wrong");
  await waitFor(() => expect(document.activeElement === code).toBe(true));
  await user.keyboard("1");
  expect(code).toHaveProperty("value", "1");
  expect(done).toEqual([]);
});

test("without the phone a backup code signs in; an earlier refusal of the other code is gone by then", async () => {
  const { user, sent, done, signIn, findByLabelText, findByRole, findByText, queryByText, waitFor } = await opened({
    [CODE]: refusal(40153, "The code is wrong"),
    [BACKUP]: {},
  });
  await signIn();
  await user.type(await findByLabelText(/^Code from your authenticator app/), "000000{Enter}");
  await findByText("The code is wrong");
  await user.click(await findByRole("button", { name: "Use a backup code" }));
  expect(queryByText("The code is wrong")).toBeNull();
  const backup = await findByLabelText(/^Backup code/);
  await waitFor(() => expect(document.activeElement === backup).toBe(true));
  await user.type(backup, "mlLlf-bJSBU{Enter}");
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(sent(BACKUP)).toEqual([{ code: "mlLlf-bJSBU", trustDevice: false }]);
});

test("one can go back from the code to the password, where the address still stands", async () => {
  const { user, signIn, findByLabelText, findByRole } = await opened({});
  await signIn();
  await user.click(await findByRole("button", { name: "Back to sign-in" }));
  expect(await findByLabelText(/^E-mail/)).toHaveProperty("value", "owner@greenleaf.example");
  expect(await findByLabelText(/^Password/)).toHaveProperty("value", "");
});

test("two presses of Enter sign in once", async () => {
  const slow = held({ two_factor: false });
  const { user, calls, done, signIn, waitFor } = await opened({ [SIGN_IN]: slow.answer });
  await signIn();
  await user.keyboard("{Enter}");
  slow.release();
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(calls().filter((call) => call === SIGN_IN)).toHaveLength(1);
});

test("where the address is known, the password has the focus", async () => {
  const { findByLabelText, waitFor } = await opened({}, "owner@greenleaf.example");
  expect(await findByLabelText(/^E-mail/)).toHaveProperty("value", "owner@greenleaf.example");
  await waitFor(() => expect(document.activeElement?.getAttribute("name")).toBe("password"));
});
