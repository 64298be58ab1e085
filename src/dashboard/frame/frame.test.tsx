import { expect, test } from "bun:test";
import { Link } from "wouter";
import { focusedName, noAnswer, refusal, renderComponent, SESSION, WhenSignedIn } from "#test/support/component.tsx";
import { Frame } from "./frame.tsx";

const page = (
  <Frame>
    <p>the page</p>
    <input aria-label="Search this list" data-page-search />
    <Link href="/dashboard/plants">onwards</Link>
  </Frame>
);

function renderFrame(answers: Record<string, unknown> = {}, path = "/dashboard/developer/tokens", width = 1280) {
  return renderComponent(<WhenSignedIn>{page}</WhenSignedIn>, {
    answers: { "GET /dashboard/api/tokens": { tokens: [] }, "GET /healthz": "ok", ...answers },
    path,
    width,
  });
}

test("the navigation has every section, the pages of the open one, and marks where one is", async () => {
  const { findByRole, getByRole, queryByRole } = await renderFrame();
  const here = await findByRole("link", { name: "Tokens" });
  expect(here.getAttribute("aria-current")).toBe("page");
  for (const name of ["Overview", "Plants", "Developer", "Settings", "Requests", "Webhooks", "Events"]) {
    expect(getByRole("link", { name }).getAttribute("aria-current")).toBeNull();
  }
  expect(queryByRole("link", { name: "Security log" })).toBeNull();
});

for (const [path, name] of [
  ["/dashboard", "Overview"],
  ["/dashboard/plants", "Plants"],
  ["/dashboard/developer/requests/req_1", "Requests"],
  ["/dashboard/settings", "Profile"],
  ["/dashboard/settings/security-log", "Security log"],
  ["/docs", /Reference/],
] as const) {
  test(`at ${path} it is ${name} alone that is marked`, async () => {
    const { findByText, getAllByRole } = await renderFrame({}, path);
    await findByText("the page");
    const current = getAllByRole("link").filter((link) => link.getAttribute("aria-current") === "page");
    expect(current.map(({ textContent }) => textContent)).toEqual([expect.stringMatching(name)]);
  });
}

test("who is not signed in sees the reference alone, and how to sign in", async () => {
  const { findByRole, getAllByRole, queryByRole } = await renderComponent(page, { path: "/docs" });
  const link = await findByRole("link", { name: "Sign in" });
  expect(link.getAttribute("href")).toBe("/dashboard/sign-in?back=/docs");
  const names = getAllByRole("link").map(({ textContent }) => textContent);
  expect(names).not.toContain("Plants");
  expect(queryByRole("button", { name: /Search or go to/ })).toBeNull();
});

test("the first link of the page skips to its content", async () => {
  const { findByRole, container } = await renderFrame();
  const link = await findByRole("link", { name: "Skip to the content" });
  expect(container.querySelector("a")).toBe(link as HTMLAnchorElement);
  expect(container.querySelector(link.getAttribute("href") ?? "")?.textContent).toContain("the page");
});

test("the narrow menu opens by its button, closes by Escape with the focus back at it, and by a choice", async () => {
  const { user, findByRole, waitFor } = await renderFrame({}, undefined, 400);
  const button = await findByRole("button", { name: "Navigation" });
  await user.click(button);
  expect(button.getAttribute("aria-expanded")).toBe("true");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(button.getAttribute("aria-expanded")).toBe("false"));
  await waitFor(() => expect(focusedName()).toBe("Navigation"));
  await user.click(button);
  await user.click(await findByRole("link", { name: "Requests" }));
  expect([location.pathname, button.getAttribute("aria-expanded")]).toEqual(["/dashboard/developer/requests", "false"]);
});

test("a lost connection is said above the page, which stays; Try now finds it again", async () => {
  let gone = false;
  const { user, page, findByText, findByRole, getByText, queryByText, waitFor } = await renderFrame({
    "GET /healthz": () => (gone ? noAnswer() : "ok"),
  });
  await findByText("the page");
  gone = true;
  page.service.connection.reportLost();
  await findByText(/does not answer/);
  getByText("the page");
  gone = false;
  await user.click(await findByRole("button", { name: "Try now" }));
  await waitFor(() => expect(queryByText(/does not answer/) === null).toBe(true));
});

test("a slash goes to the search of the page, and in a field it is text", async () => {
  const { user, findByLabelText } = await renderFrame();
  const field = await findByLabelText("Search this list");
  await user.keyboard("/");
  expect(focusedName()).toBe("Search this list");
  await user.keyboard("/");
  expect(field).toHaveProperty("value", "/");
});

test("a question mark shows the keys, and Escape closes them", async () => {
  const { user, findByRole, findByText, queryByRole, waitFor } = await renderFrame();
  await findByText("the page");
  await user.keyboard("?");
  const dialog = await findByRole("dialog");
  for (const key of ["Ctrl", "K", "/", "?", "Esc"]) expect(dialog.textContent).toContain(key);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
});

test("Ctrl K opens the palette, its choice opens a page, and it is closed then", async () => {
  const { user, page, findByRole, findByText, waitFor } = await renderFrame();
  await findByText("the page");
  await user.keyboard("{Control>}k{/Control}");
  await findByRole("combobox");
  await user.keyboard("security log{Enter}");
  await waitFor(() => expect(location.pathname).toBe("/dashboard/settings/security-log"));
  expect(page.palette.get()).toBe(false);
});

test("the account's menu leads to the settings and signs out, which loads another document", async () => {
  const { user, left, calls, findByRole } = await renderFrame({ "POST /auth/sign-out": {} });
  sessionStorage.setItem("draft:plant:7", "{}");
  await user.click(await findByRole("button", { name: /Greenleaf Nursery/ }));
  expect((await findByRole("menuitem", { name: "Settings" })).getAttribute("href")).toBe("/dashboard/settings");
  await user.click(await findByRole("menuitem", { name: "Sign out" }));
  expect(calls()).toContain("POST /auth/sign-out");
  expect([left, sessionStorage.length]).toEqual([["/dashboard/sign-in"], 0]);
});

test("a sign-out that fails says so in the menu, and one is still signed in", async () => {
  const { user, left, findByRole, findByText } = await renderFrame({
    "POST /auth/sign-out": refusal(50301, "The storage is away"),
  });
  await user.click(await findByRole("button", { name: /Greenleaf Nursery/ }));
  await user.click(await findByRole("menuitem", { name: "Sign out" }));
  await findByText("The storage is away");
  expect(left).toEqual([]);
});

test("a theme is chosen and kept", async () => {
  const { user, findByRole, waitFor } = await renderFrame();
  await user.click(await findByRole("button", { name: /Greenleaf Nursery/ }));
  await user.click(await findByRole("menuitemradio", { name: "Dark" }));
  await waitFor(() => expect(localStorage.getItem("mantine-color-scheme-value")).toBe("dark"));
  expect((await findByRole("menuitemradio", { name: "Dark" })).getAttribute("aria-checked")).toBe("true");
});

test("an account is told by its name, and by its address where it has no other", async () => {
  const nameless = { ...SESSION, account: { ...SESSION.account, name: SESSION.account.email } };
  const { findByRole } = await renderFrame({ "GET /dashboard/api/session": nameless });
  const button = await findByRole("button", { name: /owner@greenleaf/ });
  expect(button.textContent?.match(/owner@greenleaf/g)).toHaveLength(1);
});
