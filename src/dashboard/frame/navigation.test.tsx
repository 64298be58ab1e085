import { expect, test } from "bun:test";
import type { Role } from "#contract/dashboard/role.ts";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import { Navigation } from "./navigation.tsx";

async function shown(path: string, role: Role | null = "owner") {
  const chosen: string[] = [];
  const store = role && SESSION.store && { ...SESSION.store, role };
  const known = { ...SESSION, store };
  const rendered = await renderComponent(<Navigation onChosen={() => chosen.push(location.pathname)} />, {
    path,
    known,
  });
  const links = () => rendered.getAllByRole("link").map(({ textContent }) => textContent);
  const current = () =>
    rendered.getAllByRole("link").flatMap((link) => (link.getAttribute("aria-current") ? [link.textContent] : []));
  return { ...rendered, links, current, chosen };
}

for (const [path, name] of [
  ["/dashboard", "Overview"],
  ["/dashboard/plants", "Plants"],
  ["/dashboard/settings", "Profile"],
  ["/dashboard/settings/security", "Security"],
  ["/dashboard/developer/requests/req_1", "Requests"],
  ["/docs", "Reference"],
  ["/dashboard/greenhouse", undefined],
] as const) {
  test(`at ${path} screen readers hear ${name ? `that ${name} is the current page, and no other` : "of none"}`, async () => {
    expect((await shown(path)).current()).toEqual(name ? [name] : []);
  });
}

test("a section with pages opens them first and keeps the narrow menu open; a page closes it", async () => {
  const { user, chosen, findByRole } = await shown("/dashboard");
  // It leads to the page that suits the account, and not always to the quick start.
  expect((await findByRole("link", { name: "Developer" })).getAttribute("href")).toBe("/dashboard/developer");
  await user.click(await findByRole("link", { name: "Settings" }));
  expect(chosen).toEqual([]);
  await user.click(await findByRole("link", { name: "Account" }));
  expect([location.pathname, chosen.length]).toEqual(["/dashboard/settings/account", 1]);
});

test("the pages that a role does not have are not shown; who is in no store has their own and the reference", async () => {
  for (const [role, developers] of [
    ["viewer", []],
    ["editor", []],
    ["developer", ["Developer", "Overview", "Quick start", "Tokens", "Requests", "Webhooks", "Events", "Reference"]],
    [null, ["Reference"]],
  ] as const) {
    const { links } = await shown("/docs", role);
    const before = role ? ["Overview", "Plants", "Activity"] : [];
    expect([role, links()]).toEqual([role, [...before, ...developers, "Settings"]]);
  }
  const { links } = await shown("/dashboard/settings", null);
  expect(links()).toEqual(["Reference", "Settings", "Profile", "Security", "Security log", "Account"]);
});
