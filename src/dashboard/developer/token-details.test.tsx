import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { TokenDetails } from "./token-details.tsx";

async function opened(more: Parameters<typeof tokenRecord>[0] = {}) {
  const chosen: string[] = [];
  const rendered = await renderComponent(
    <TokenDetails
      token={tokenRecord(more)}
      onAction={(action) => chosen.push(action)}
      onClose={() => chosen.push("closed")}
    />,
  );
  const dialog = await rendered.findByRole("dialog", { name: "Greenhouse import" });
  const buttons = () =>
    rendered
      .within(dialog)
      .getAllByRole("button")
      .map(({ textContent }) => textContent)
      .filter((text) => text !== "");
  return { ...rendered, dialog, chosen, buttons };
}

test("everything that is known of a token is told in words, and it leads to its usage and its requests", async () => {
  const { dialog, getByRole } = await opened({ scopes: ["plants:read", "webhooks:manage"] });
  for (const text of ["Active", "plant_4fQa…x81Z", "read, webhooks", "Never"])
    expect(dialog.textContent).toContain(text);
  expect(getByRole("link", { name: "Show its usage" }).getAttribute("href")).toBe("/dashboard?token=tok_1");
  expect(getByRole("link", { name: "Show its requests" }).getAttribute("href")).toBe(
    "/dashboard/developer/requests?token=tok_1",
  );
});

test("an active token can be renamed, rolled and revoked", async () => {
  const { user, buttons, chosen, findByRole } = await opened();
  expect(buttons()).toEqual(["Rename", "Roll", "Revoke"]);
  for (const name of ["Rename", "Roll", "Revoke"]) await user.click(await findByRole("button", { name }));
  expect(chosen).toEqual(["rename", "roll", "revoke"]);
});

test("a token that its roll has replaced says when it ends, and cannot be rolled again", async () => {
  const { dialog, buttons } = await opened({ revoked_at: "2999-01-01T00:00:00.000Z" });
  expect(dialog.textContent).toContain("Being replaced");
  expect(dialog.textContent).toContain("Ends");
  expect(buttons()).toEqual(["Rename", "Revoke"]);
});

test("a revoked token says since when, and can only be renamed", async () => {
  const { dialog, buttons } = await opened({ state: "revoked", revoked_at: "2026-03-02T00:00:00.000Z" });
  expect(dialog.textContent).toMatch(/Revoked.*Revoked/);
  expect(buttons()).toEqual(["Rename"]);
});

test("an expired token is told by word", async () => {
  const { dialog } = await opened({ state: "expired", expires_at: "2026-03-02T00:00:00.000Z" });
  expect(dialog.textContent).toContain("Expired");
});

test("Escape closes it", async () => {
  const { user, chosen } = await opened();
  await user.keyboard("{Escape}");
  expect(chosen).toEqual(["closed"]);
});
