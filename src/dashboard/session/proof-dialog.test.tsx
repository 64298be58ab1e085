import { expect, test } from "bun:test";
import { focusedName, held, refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { Passkeys } from "../settings/passkeys.tsx";
import { TwoFactor } from "../settings/two-factor.tsx";
import { ProofDialog } from "./proof-dialog.tsx";

const PROOF = "POST /dashboard/api/proof";
const RENEW = "POST /auth/two-factor/generate-backup-codes";
const ON = { ...SESSION, account: { ...SESSION.account, two_factor: true } };

/** The reader asks for new backup codes, which wants a proof. */
async function asked(proof: unknown) {
  let proven = false;
  const rendered = await renderComponent(
    <>
      <TwoFactor />
      <Passkeys />
      <ProofDialog />
    </>,
    {
      session: ON,
      answers: {
        "GET /auth/passkey/list-user-passkeys": [],
        [RENEW]: () => (proven ? { backupCodes: ["mlLlf-bJSBU", "ggusE-WUMb1"] } : refusal(40354)),
        [PROOF]: async () => {
          const answer = await (typeof proof === "function" ? proof() : proof);
          proven = !(answer instanceof Response);
          return answer;
        },
      },
    },
  );
  const { user, findByRole, findByLabelText } = rendered;
  await user.click(await findByRole("button", { name: "Make new backup codes" }));
  const dialog = await findByRole("dialog", { name: "Confirm that it is you" });
  const confirm = async (enters = "{Enter}") => {
    await user.type(await findByLabelText(/^Password/), "monstera in the rain");
    await user.type(await findByLabelText(/^Code from your authenticator app/), ` 123456 ${enters}`);
  };
  return { ...rendered, dialog, confirm };
}

const GIVEN = { until: "2999-01-01T00:00:00.000Z" };

test("an account with a second factor gives both, and what was asked for goes on by itself", async () => {
  const { dialog, sent, confirm, findByText } = await asked(GIVEN);
  // Password managers find both by these.
  expect(dialog.querySelector("input[name=username]")).toHaveProperty("value", "owner@greenleaf.example");
  expect(dialog.querySelector("input[name=password]")?.getAttribute("autocomplete")).toBe("current-password");
  await confirm();
  await findByText("mlLlf-bJSBU");
  expect(sent(PROOF)).toEqual([{ password: "monstera in the rain", code: "123456" }]);
});

const LIST = "GET /auth/passkey/list-user-passkeys";

test.each([
  ["who has a passkey can use it in place of the password", [{ id: "pk_1", name: "Phone" }], true],
  ["who has no passkey is not asked for one", [], false],
  ["who cannot be told may have one", new Response("", { status: 503 }), true],
] as const)("%s", async (_, list, isOffered) => {
  const { press, calls, findByLabelText, queryByRole, waitFor } = await renderComponent(
    <>
      <TwoFactor />
      <ProofDialog />
    </>,
    { passkeys: true, session: { ...ON, proof: null }, answers: { [LIST]: list } },
  );
  await press("Make new backup codes");
  await findByLabelText(/^Password/);
  await waitFor(() => expect(calls()).toContain(LIST));
  await waitFor(() => expect(queryByRole("button", { name: "Use a passkey" }) !== null).toBe(isOffered));
});

test("who has a passkey alone can use it before the list of them is there", async () => {
  const { press, findByRole } = await renderComponent(
    <>
      <TwoFactor />
      <ProofDialog />
    </>,
    {
      passkeys: true,
      session: { ...ON, account: { ...ON.account, has_password: false }, proof: null },
      answers: { [LIST]: held([]).answer },
    },
  );
  await press("Make new backup codes");
  await findByRole("button", { name: "Use a passkey" });
});

test("Escape asks for nothing more, shows no failure, and gives the focus back", async () => {
  const { user, calls, queryByRole, waitFor } = await asked(GIVEN);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  expect(queryByRole("alert")).toBeNull();
  expect(calls()).not.toContain(PROOF);
  await waitFor(() => expect(focusedName()).toBe("Make new backup codes"));
});
