import { expect, test } from "bun:test";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import ProfilePage from "./profile-page.tsx";

const SAVE = "PATCH /dashboard/api/account";
const SEND = "POST /dashboard/api/account/send-verification";
const MAILING = { ...SESSION, mail: true };

function renderProfile(session: typeof SESSION, answers: Record<string, unknown> = {}) {
  return renderComponent(<ProfilePage />, { session, answers });
}

test("a new name is sent without the address, which would ask for a proof", async () => {
  const saved = { ...SESSION, account: { ...SESSION.account, name: "Willow" } };
  const { user, asked, findByRole, findByText } = await renderProfile(SESSION, { [SAVE]: saved });
  const name = await findByRole("textbox", { name: /^Name/ });
  await user.clear(name);
  await user.type(name, " Willow ");
  await user.click(await findByRole("button", { name: "Save" }));
  await findByText("Saved");
  expect(asked.find(({ call }) => call === SAVE)?.body).toBe('{"name":"Willow"}');
});

test("a link is sent to the account's own address on demand, and screen readers hear where it goes; it goes to no later one", async () => {
  const { user, calls, findByRole, findByText, findByLabelText, queryByText } = await renderProfile(MAILING, {
    [SEND]: new Response(null, { status: 204 }),
    [SAVE]: { ...MAILING, account: { ...SESSION.account, email: "owner@greenleaf.examples" } },
  });
  await findByText(/not verified yet/);
  await user.click(await findByRole("button", { name: "Send a verification link" }));
  const said = await findByText("A link is on its way to owner@greenleaf.example");
  expect(said.closest("[role=status]")).not.toBeNull();
  expect(calls().filter((call) => call === SEND)).toHaveLength(1);
  await user.type(await findByLabelText(/^E-mail/), "s{Enter}");
  await findByText("Saved");
  expect(queryByText(/on its way/)).toBeNull();
});
