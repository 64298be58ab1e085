import { expect, test } from "bun:test";
import type { InvitationRecord, People, PersonRecord } from "#contract/dashboard/people.ts";
import type { Role } from "#contract/dashboard/role.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { focusedName, refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import PeoplePage from "./people-page.tsx";

const GET = "GET /dashboard/api/people";
const INVITE = "POST /dashboard/api/people/invitations";

function person(id: string, name: string, role: Role, more: Partial<PersonRecord> = {}): PersonRecord {
  return {
    id,
    name,
    email: `${id}@greenleaf.example`,
    role,
    joined_at: "2026-03-01T00:00:00.000Z",
    by: "hand",
    ...more,
  };
}
const ROSA = person("acc_1", "Rosa", "owner", { second_factor: true });
const IVY = person("acc_2", "Ivy", "developer", { second_factor: false });
const FERN = person("acc_3", "Fern", "viewer", { by: "oidc" });
const INVITED: InvitationRecord = {
  id: "inv_1",
  email: "moss@greenleaf.example",
  role: "editor",
  created_at: "2026-03-01T00:00:00.000Z",
  expires_at: "2999-01-01T00:00:00.000Z",
  mailed: false,
};
const ALL: People = { people: [ROSA, IVY, FERN], invitations: [INVITED] };

function opened(answers: Record<string, unknown> = {}, search = "", known: Partial<SessionView> = {}) {
  return renderComponent(<PeoplePage />, {
    answers: { [GET]: ALL, "GET /dashboard/api/tokens": { tokens: [] }, ...answers },
    path: `/dashboard/settings/people${search}`,
    known: { ...SESSION, ...known },
  });
}

test("who is no owner sees the people, and may leave, and nothing to change anybody by", async () => {
  const store = SESSION.store && { ...SESSION.store, role: "developer" as const };
  const people = { people: ALL.people.map(({ second_factor: _, ...shown }) => shown) };
  const { findByRole, queryByRole, queryByText } = await opened({ [GET]: people }, "?do=invite", { store });
  await findByRole("button", { name: "Leave this store" });
  expect(queryByRole("button", { name: "Invite" })).toBeNull();
  expect(queryByRole("button", { name: /^Actions/ })).toBeNull();
  expect(queryByText("Second factor")).toBeNull();
  expect(queryByRole("dialog")).toBeNull();
});

test("with mail it is sent, and the page says to whom; with an unverified address of one's own it is a link all the same", async () => {
  const account = { ...SESSION.account, email_verified: true };
  const mailed = { invitation: { ...INVITED, mailed: true }, link: null };
  const verified = await opened({ [INVITE]: mailed }, "?do=invite", { mail: true, account });
  await verified.user.type(await verified.findByLabelText("E-mail"), "moss@greenleaf.example");
  await verified.press("Send invitation");
  await verified.findByText("An invitation is on its way to moss@greenleaf.example");
  expect(verified.queryByRole("dialog")).toBeNull();
  const other = await opened({}, "?do=invite", { mail: true });
  await other.findByRole("button", { name: "Create invitation link" });
  expect((await other.findByRole("link", { name: /verify your own address/ })).getAttribute("href")).toBe(
    "/dashboard/settings",
  );
});

test("a pending invitation is made again for the same address, or revoked", async () => {
  const revoke = "POST /dashboard/api/people/invitations/inv_1/revoke";
  const { press, findByLabelText, findByRole, sent, user, waitFor } = await opened({
    [INVITE]: { invitation: INVITED, link: "https://plants.example/x" },
    [revoke]: new Response(null, { status: 204 }),
  });
  await press("New link to moss@greenleaf.example");
  expect(await findByLabelText("E-mail")).toHaveProperty("value", "moss@greenleaf.example");
  await press("Create invitation link");
  expect(await findByLabelText("Link")).toHaveProperty("value", "https://plants.example/x");
  expect(sent(INVITE)).toEqual([{ email: "moss@greenleaf.example", role: "editor", link: true }]);
  await user.keyboard("{Escape}");
  await user.click(await findByRole("button", { name: "Close without copying" }));
  await press("Revoke the invitation of moss@greenleaf.example");
  await waitFor(() => expect(sent(revoke)).toHaveLength(1));
});

test("once the last invitation is revoked, the focus is on the title of the page", async () => {
  let invitations = [INVITED];
  const { press, queryByText, waitFor } = await opened({
    [GET]: () => ({ ...ALL, invitations }),
    "POST /dashboard/api/people/invitations/inv_1/revoke": () => {
      invitations = [];
      return new Response(null, { status: 204 });
    },
  });
  await press("Revoke the invitation of moss@greenleaf.example");
  await waitFor(() => expect(queryByText("Invited") === null).toBe(true));
  await waitFor(() => expect(focusedName()).toBe("People"));
});

test("a removal counts the tokens that the person made, names the secrets that they saw, and revokes what is ticked", async () => {
  const remove = "POST /dashboard/api/people/acc_2/remove";
  const token = (id: string, made_by: string | null, state: "active" | "revoked" = "active") => ({
    ...tokenRecord(),
    id,
    made_by,
    state,
  });
  const act = (id: string, action: string, name: string, url: string) => ({
    id,
    action,
    at: "2026-03-01T00:00:00.000Z",
    actor: { kind: "session", id: "ses_1", name },
    detail: { url },
  });
  const { findByRole, findByText, queryByText, press, sent, user, waitFor } = await opened(
    {
      "GET /dashboard/api/tokens": {
        tokens: [token("a", "acc_2"), token("b", "acc_2"), token("c", "acc_2", "revoked"), token("d", null)],
      },
      "GET /dashboard/api/audit": {
        data: [
          act("1", "webhook.created", IVY.email, "https://shop.example/a"),
          act("2", "webhook.created", ROSA.email, "https://shop.example/b"),
        ],
        next_cursor: null,
      },
      [remove]: new Response(null, { status: 204 }),
    },
    "?do=remove&person=acc_2",
  );
  await user.click(await findByRole("checkbox", { name: "Revoke 2 tokens that they made" }));
  await findByText("https://shop.example/a");
  expect(queryByText("https://shop.example/b")).toBeNull();
  await press("Remove");
  await waitFor(() => expect(sent(remove)).toEqual([{ revoke_tokens: true }]));
});

test("the only owner is told before they try that a store always has one; a refusal is said where it happened", async () => {
  for (const asked of ["role", "leave"]) {
    const { findByRole, queryByRole, within } = await opened({}, `?do=${asked}`);
    await within(await findByRole("dialog")).findByText(/^You are the only owner/);
    expect(queryByRole("button", { name: /^(?:Leave|Change role)$/ })).toBeNull();
  }
  const both = { people: [ROSA, person("acc_2", "Ivy", "owner")], invitations: [] };
  const { press, findByText } = await opened(
    { [GET]: both, "POST /dashboard/api/people/leave": refusal(40952, "The store would have no owner") },
    "?do=leave",
  );
  await press("Leave");
  await findByText("The store would have no owner");
});
