import { expect, test } from "bun:test";
import { renderComponent, SESSION, WhenSignedIn } from "#test/support/component.tsx";
import SecurityPage from "./security-page.tsx";

const PASSKEY = {
  id: "pk_1",
  name: "x".repeat(50),
  deviceType: "singleDevice",
  backedUp: false,
  createdAt: "2026-03-01T00:00:00.000Z",
};
const CODES = ["mlLlf-bJSBU", "ggusE-WUMb1"];

const answers = {
  "GET /auth/passkey/list-user-passkeys": [PASSKEY],
  "GET /dashboard/api/sessions": { sessions: [] },
  "GET /dashboard/api/trusted-devices": { devices: [] },
};

test("Escape does not close the backup codes before they were copied or downloaded", async () => {
  const on = { ...SESSION, account: { ...SESSION.account, two_factor: true } };
  const { user, findByRole, findByText } = await renderComponent(
    <WhenSignedIn>
      <SecurityPage />
    </WhenSignedIn>,
    {
      answers: {
        ...answers,
        "GET /dashboard/api/session": on,
        "POST /auth/two-factor/generate-backup-codes": { backupCodes: CODES },
      },
    },
  );
  await user.click(await findByRole("button", { name: "Make new backup codes" }));
  await findByText("mlLlf-bJSBU");
  await user.keyboard("{Escape}");
  await findByText(/Close anyway/);
  await user.click(await findByRole("button", { name: "Show it again" }));
  await findByText("ggusE-WUMb1");
});

test("after a new password the page offers to revoke the tokens that still work", async () => {
  const { user, asked, container, findByRole, findByText } = await renderComponent(
    <WhenSignedIn>
      <SecurityPage />
    </WhenSignedIn>,
    {
      answers: {
        ...answers,
        "POST /auth/change-password": { active_tokens: 2, passkeys: 1 },
        "POST /dashboard/api/tokens/revoke-all": { revoked: 2 },
      },
    },
  );
  await findByRole("button", { name: "Change password" });
  await user.type(container.querySelector("input[name=currentPassword]") as Element, "monstera in the rain");
  await user.type(container.querySelector("input[name=newPassword]") as Element, "another long password");
  await user.click(await findByRole("button", { name: "Change password" }));
  await findByText(/2 tokens and 1 passkey still work/);
  await user.click(await findByRole("button", { name: "Revoke all tokens" }));
  await findByText("All tokens are revoked");
  expect(asked.map(({ call }) => call)).toContain("POST /dashboard/api/tokens/revoke-all");
});
