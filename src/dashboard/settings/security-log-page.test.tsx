import { expect, test } from "bun:test";
import type { AuditPage, AuditRecord } from "#contract/dashboard/audit.ts";
import { renderComponent } from "#test/support/component.tsx";
import SecurityLogPage from "./security-log-page.tsx";

const LOG = "GET /dashboard/api/audit";

function entry(id: string, action: string, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id,
    action,
    at: "2026-03-01T00:00:00.000Z",
    actor: { kind: "session", id: "ses_1", name: "owner@greenleaf.example" },
    device: "Firefox on Linux",
    address: "203.0.113.7",
    ...more,
  };
}

function opened(data: AuditRecord[], search = "") {
  const answers = { [LOG]: { data, next_cursor: null } satisfies AuditPage };
  return renderComponent(<SecurityLogPage />, { answers, path: `/dashboard/settings/security-log${search}` });
}

test("an entry says in words what was done, to what by its name, by whom and from where", async () => {
  const { findByRole, getAllByRole } = await opened([
    entry("1", "token.revoked", { target: "tok_1", detail: { name: "Till" } }),
    entry("5", "settings.changed", { detail: { email: "new@greenleaf.example" } }),
    entry("2", "sign_in.failed", { actor: { kind: "system", id: "", name: "" }, device: "" }),
    entry("3", "password.reset_by_operator", { actor: { kind: "operator", id: "", name: "root" } }),
    entry("4", "export.made", { actor: { kind: "token", id: "tok_2", name: "Nightly" } }),
  ]);
  await findByRole("table", { name: "Security log" });
  const rows = getAllByRole("row").map((row) => [...row.querySelectorAll("td")].map(({ textContent }) => textContent));
  await findByRole("rowheader", { name: "Sunday, 1 March 2026" });
  expect(rows.slice(2).map((cells) => cells.slice(0, 3))).toEqual([
    ["Token revokedTill", "owner@greenleaf.example", "Firefox on Linux, 203.0.113.7"],
    ["Settings changednew@greenleaf.example", "owner@greenleaf.example", "Firefox on Linux, 203.0.113.7"],
    ["Sign-in refused", "Somebody who is not signed in", "203.0.113.7"],
    ["Password reset by the operator", "The operator", "Firefox on Linux, 203.0.113.7"],
    ["Export made", "Token Nightly", "Firefox on Linux, 203.0.113.7"],
  ]);
});

test("an entry that a request to the API made leads to that request", async () => {
  const actor = { kind: "token", id: "tok_2", name: "Nightly" } as const;
  const { findByRole } = await opened([
    entry("1", "export.made", { actor, request_id: "req_1" }),
    entry("2", "token.created", { request_id: "req_2" }),
  ]);
  const link = await findByRole("link", { name: "Show the request" });
  expect(link.getAttribute("href")).toBe("/dashboard/developer/requests/req_1");
});

test("a kind of action is in the address, is chosen from a list, and is asked of the service", async () => {
  const { user, calls, findByLabelText, findByText, waitFor } = await opened([], "?action=token");
  const choice = await findByLabelText("Action");
  expect(choice).toHaveProperty("value", "token");
  await user.selectOptions(choice, "Passkeys");
  await waitFor(() => expect(calls()).toContain(`${LOG}?action=passkey`));
  expect(location.search).toBe("?action=passkey");
  await findByText("Nothing of this kind has happened.");
  await user.selectOptions(choice, "All actions");
  await waitFor(() => expect(calls()).toContain(LOG));
  expect(location.search).toBe("");
});
