import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { ProofDialog } from "../session/proof-dialog.tsx";
import { TwoFactor } from "./two-factor.tsx";

const ENABLE = "POST /auth/two-factor/enable";
const VERIFY = "POST /auth/two-factor/verify-totp";
const DISABLE = "POST /auth/two-factor/disable";
const RENEW = "POST /auth/two-factor/generate-backup-codes";
const CODES = ["mlLlf-bJSBU", "ggusE-WUMb1"];
const SETUP = {
  totpURI: "otpauth://totp/Plantstore:owner%40greenleaf.example?secret=JBSWY3DPEHPK3PXP&issuer=Plantstore",
  backupCodes: CODES,
};

/** A service whose account has the second factor once a code was accepted. */
function accountWith(twoFactor: boolean, answers: Record<string, unknown> = {}) {
  let on = twoFactor;
  const turned = (to: boolean) => () => {
    on = to;
    return {};
  };
  return {
    "GET /dashboard/api/session": () => ({ ...SESSION, account: { ...SESSION.account, two_factor: on } }),
    [ENABLE]: SETUP,
    [VERIFY]: turned(true),
    [DISABLE]: turned(false),
    [RENEW]: { backupCodes: CODES },
    ...answers,
  };
}

async function renderTwoFactor(answers: Record<string, unknown>) {
  const rendered = await renderComponent(
    <>
      <TwoFactor />
      <ProofDialog />
    </>,
    { session: SESSION, answers },
  );
  /** Presses a button of the dialog with that title. */
  const choose = async (title: string, name: string) => {
    const dialog = await rendered.findByRole("dialog", { name: title });
    await rendered.user.click(rendered.within(dialog).getByRole("button", { name }));
  };
  return { ...rendered, choose };
}

test("the next code takes the place of one that was wrong", async () => {
  const { user, press, sent, findByLabelText, findByText, waitFor } = await renderTwoFactor(
    accountWith(false, { [VERIFY]: refusal(40153, "The code is wrong") }),
  );
  await press("Turn on");
  await user.type(await findByLabelText(/^Code that the app shows/), "000000{Enter}");
  await findByText("The code is wrong");
  await user.keyboard("123456{Enter}");
  await waitFor(() => expect(sent(VERIFY)).toEqual([{ code: "000000" }, { code: "123456" }]));
});

test("new backup codes are made once for two presses, shown as a list, and copied all at once", async () => {
  const { press, calls, findByRole, getAllByRole } = await renderTwoFactor(accountWith(true));
  const button = await findByRole("button", { name: "Make new backup codes" });
  // As on a slow device, which draws only after the second one. Others would make the codes of the first invalid.
  for (let time = 0; time < 2; time++) button.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  await press("Copy the backup codes");
  expect(await navigator.clipboard.readText()).toBe("mlLlf-bJSBU\nggusE-WUMb1");
  expect(calls().filter((call) => call === RENEW)).toHaveLength(1);
  expect(getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(CODES);
});

test("it is turned off only after a question, and the state follows", async () => {
  const { press, choose, calls, findByRole, findByText } = await renderTwoFactor(accountWith(true));
  await press("Turn off");
  await findByRole("dialog", { name: "Turn off two-factor sign-in?" });
  expect(calls()).not.toContain(DISABLE);
  await choose("Turn off two-factor sign-in?", "Turn off");
  await findByText("Off");
  await findByRole("button", { name: "Turn on" });
});

test("a proof that is refused to be given closes the question too, without a failure", async () => {
  const { press, choose, findByText, queryByRole, waitFor } = await renderTwoFactor(
    accountWith(true, { [DISABLE]: () => refusal(40354) }),
  );
  await press("Turn off");
  await choose("Turn off two-factor sign-in?", "Turn off");
  await choose("Confirm that it is you", "Cancel");
  await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  expect(queryByRole("alert")).toBeNull();
  await findByText("On");
});
