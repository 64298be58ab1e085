import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { ProofDialog } from "../session/proof-dialog.tsx";
import { TwoFactor } from "./two-factor.tsx";

const ENABLE = "POST /auth/two-factor/enable";
const VERIFY = "POST /auth/two-factor/verify-totp";
const DISABLE = "POST /auth/two-factor/disable";
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
    "POST /auth/two-factor/generate-backup-codes": { backupCodes: CODES },
    ...answers,
  };
}

function renderTwoFactor(answers: Record<string, unknown>) {
  return renderComponent(
    <>
      <TwoFactor />
      <ProofDialog />
    </>,
    { session: SESSION, answers },
  );
}

test("it is turned on by scanning or typing the key and one right code, and the backup codes show once", async () => {
  const { user, sent, saved, findByRole, findByLabelText, findByText, queryByText } = await renderTwoFactor(
    accountWith(false),
  );
  await findByText("Off");
  await user.click(await findByRole("button", { name: "Turn on" }));
  await findByRole("img", { name: /QR code/ });
  await findByText("JBSW Y3DP EHPK 3PXP");
  const dialog = await findByRole("dialog");
  await user.type(await findByLabelText(/^Code that the app shows/), " 123456{Enter}");
  await findByText("mlLlf-bJSBU");
  expect(sent(VERIFY)).toEqual([{ code: "123456" }]);
  await findByText("On");
  await user.click(await findByRole("button", { name: "Download" }));
  expect(saved.map(({ name }) => name)).toEqual(["plantstore-backup-codes.txt"]);
  expect(await saved[0]?.text()).toBe("mlLlf-bJSBU\nggusE-WUMb1\n");
  await user.click(await findByRole("button", { name: "Done" }));
  expect(queryByText("mlLlf-bJSBU")).toBeNull();
  expect(dialog.isConnected).toBe(false);
});

test("new backup codes are shown as a list, and copied all at once", async () => {
  const { user, findByRole, getAllByRole } = await renderTwoFactor(accountWith(true));
  await user.click(await findByRole("button", { name: "Make new backup codes" }));
  await user.click(await findByRole("button", { name: "Copy the backup codes" }));
  expect(await navigator.clipboard.readText()).toBe("mlLlf-bJSBU\nggusE-WUMb1");
  expect(getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(CODES);
});

test("it is turned off only after a question, and the state follows", async () => {
  const { user, calls, findByRole, findByText, within } = await renderTwoFactor(accountWith(true));
  await user.click(await findByRole("button", { name: "Turn off" }));
  const question = await findByRole("dialog", { name: "Turn off two-factor sign-in?" });
  expect(calls()).not.toContain(DISABLE);
  await user.click(within(question).getByRole("button", { name: "Turn off" }));
  await findByText("Off");
  await findByRole("button", { name: "Turn on" });
});

test("a proof that is refused to be given closes the question too, without a failure", async () => {
  const { user, findByRole, findByText, queryByRole, waitFor, within } = await renderTwoFactor(
    accountWith(true, { [DISABLE]: () => refusal(40354) }),
  );
  await user.click(await findByRole("button", { name: "Turn off" }));
  const question = await findByRole("dialog", { name: "Turn off two-factor sign-in?" });
  await user.click(within(question).getByRole("button", { name: "Turn off" }));
  const proof = await findByRole("dialog", { name: "Confirm that it is you" });
  await user.click(within(proof).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  expect(queryByRole("alert")).toBeNull();
  await findByText("On");
});
