import { expect, test } from "bun:test";
import type { InvitationView } from "#contract/dashboard/people.ts";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import InvitationPage from "./invitation-page.tsx";

const VIEW = "POST /dashboard/api/invitation";
const ACCEPT = "POST /dashboard/api/invitation/accept";
const INVITATION: InvitationView = {
  store: "Rosewood",
  email: "moss@greenleaf.example",
  role: "editor",
  invited_by: "Rosa",
  has_account: false,
};
const store = { id: "acc_9", name: "Rosewood", role: "editor", test: false, second_factor_required: false } as const;
const JOINED = { ...SESSION, store, stores: [store] };

/** `signedInAs`: the address of a session that the browser has. */
async function opened(view: unknown, { signedInAs = "", answers = {} } = {}) {
  const session = { ...SESSION, account: { ...SESSION.account, email: signedInAs } };
  const rendered = await renderComponent(<Hinted hint={signedInAs !== ""} />, {
    answers: { [VIEW]: view, "GET /dashboard/api/session": session, [ACCEPT]: JOINED, ...answers },
    path: "/dashboard/invitation?token=secret",
  });
  return rendered;
}

function Hinted({ hint }: { readonly hint: boolean }) {
  if (hint) localStorage.setItem("plantstore-session", "owner");
  return <InvitationPage />;
}

test("somebody known signs in with the invited address first, and joins then", async () => {
  const session = { ...SESSION, account: { ...SESSION.account, email: INVITATION.email } };
  const { user, container, findByLabelText, press, sent, left, waitFor } = await opened(
    { ...INVITATION, has_account: true },
    { answers: { "POST /auth/sign-in/email": { two_factor: false }, "GET /dashboard/api/session": session } },
  );
  expect(await findByLabelText("E-mail")).toHaveProperty("value", INVITATION.email);
  await user.type(container.querySelector("input[name=password]") as HTMLElement, "monstera in the rain");
  await press("Sign in");
  await press("Join Rosewood");
  await waitFor(() => expect(left).toEqual(["/dashboard?store=acc_9"]));
  expect(sent(ACCEPT)).toEqual([{ token: "secret" }]);
});

test("signed in as somebody else: names both addresses, and offers to sign out", async () => {
  const { press, findByText, findByLabelText, container, calls } = await opened(
    { ...INVITATION, has_account: true },
    { signedInAs: "ivy@greenleaf.example", answers: { "POST /auth/sign-out": {} } },
  );
  await findByText("ivy@greenleaf.example");
  expect(container.textContent).toContain("Sign out to join as moss@greenleaf.example");
  await press("Sign out and continue");
  await findByLabelText("E-mail");
  expect(calls()).toContain("POST /auth/sign-out");
});

test("one that is used, revoked or too old says so, and asks for nothing", async () => {
  const { findByRole, queryByRole } = await opened(refusal(40355));
  await findByRole("heading", { name: "This invitation link no longer works" });
  expect(queryByRole("button") === null).toBe(true);
});
