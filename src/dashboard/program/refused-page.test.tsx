import { expect, test } from "bun:test";
import type { Role } from "#contract/dashboard/role.ts";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import RefusedPage from "./refused-page.tsx";

function shown(path: string, role: Role | null, provider: string | null = null) {
  const store = role && SESSION.store && { ...SESSION.store, role };
  return renderComponent(<RefusedPage />, { path, known: { ...SESSION, store, provider } });
}

test("who came by the identity provider into no store reads that a full one takes nobody more", async () => {
  const { container } = await shown("/dashboard/plants", null, "Corp");
  expect(container.textContent).toContain(
    "People who sign in with Corp join a store by their groups there, unless it is full.",
  );
});

test("a store that asks for a second factor says so, with the way to add one", async () => {
  const { findByRole } = await shown("/dashboard/plants", "owner");
  await findByRole("heading", { name: "This store asks for a second factor" });
  const link = await findByRole("link", { name: "Add a second factor" });
  expect(link.getAttribute("href")).toBe("/dashboard/settings/security");
});
