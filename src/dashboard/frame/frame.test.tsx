import { expect, test } from "bun:test";
import { Link } from "wouter";
import { focusedName, noAnswer, renderComponent, renewalOf, SESSION } from "#test/support/component.tsx";
import { codeQuery } from "../program/loaded-page.tsx";
import { Frame } from "./frame.tsx";

const page = (
  <Frame>
    <p>the page</p>
    <input aria-label="Search this list" data-page-search />
    <Link href="/dashboard/plants">onwards</Link>
  </Frame>
);

function renderFrame(answers: Record<string, unknown> = {}, path = "/dashboard/developer/tokens", width = 1280) {
  return renderComponent(page, {
    session: SESSION,
    answers: { "GET /dashboard/api/tokens": { tokens: [] }, "GET /healthz": "ok", ...answers },
    path,
    width,
  });
}

test("who is not signed in sees the reference alone, and how to sign in", async () => {
  const { findByRole, getAllByRole, queryByRole } = await renderComponent(page, { path: "/docs", known: null });
  const link = await findByRole("link", { name: "Sign in" });
  expect(link.getAttribute("href")).toBe("/dashboard/sign-in?back=/docs");
  const names = getAllByRole("link").map(({ textContent }) => textContent);
  expect(names).not.toContain("Plants");
  expect(queryByRole("button", { name: /^Search…/ })).toBeNull();
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

test("a lost connection is said beside the page, which stays where it is; Try now finds it again", async () => {
  let gone = false;
  const { user, page, container, findByText, findByRole, getByText, queryByText, waitFor } = await renderFrame({
    "GET /healthz": () => (gone ? noAnswer() : "ok"),
  });
  await findByText("the page");
  // Screen readers hear what changes in a region that was there before.
  expect(container.querySelector(".bars [role=status]")?.textContent).toBe("");
  gone = true;
  page.service.connection.reportLost();
  await findByText(/does not answer/);
  getByText("the page");
  gone = false;
  await user.click(await findByRole("button", { name: "Try now" }));
  await waitFor(() => expect(queryByText(/does not answer/) === null).toBe(true));
});

test("a slash goes to the search of the page, g and a letter to another page; in a field and with Ctrl they do not", async () => {
  const { user, findByLabelText, queryByRole } = await renderFrame();
  const field = await findByLabelText("Search this list");
  await user.keyboard("{Control>}/{/Control}p{Alt>}?{/Alt}");
  expect([focusedName(), queryByRole("dialog")]).toEqual(["BODY", null]);
  await user.keyboard("/");
  expect(focusedName()).toBe("Search this list");
  await user.keyboard("/?gp");
  expect([Reflect.get(field, "value"), location.pathname]).toEqual(["/?gp", "/dashboard/developer/tokens"]);
  field.blur();
  await user.keyboard("gp");
  expect(location.pathname).toBe("/dashboard/plants");
});

test("Ctrl K opens the palette, also from a field and as Cmd K; its choice opens a page, and it is closed then", async () => {
  const { user, page, findByLabelText, findByRole, queryByRole, waitFor } = await renderFrame();
  (await findByLabelText("Search this list")).focus();
  await user.keyboard("{Control>}k{/Control}");
  await findByRole("combobox");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("combobox") === null).toBe(true));
  await user.keyboard("{Meta>}K{/Meta}");
  await findByRole("combobox");
  await waitFor(() => expect(focusedName()).toMatch(/^Go to/));
  await user.keyboard("security log{Enter}");
  await waitFor(() => expect(location.pathname).toBe("/dashboard/settings/security-log"));
  expect(page.palette.get()).toBe(false);
});

test("what is typed before the program of the palette is there is no shortcut, and Escape takes the palette back", async () => {
  const { user, page, findByText } = await renderFrame();
  await findByText("the page");
  void page.queries.prefetchQuery(codeQuery(page.service, () => new Promise(() => {})));
  await user.keyboard("{Control>}k{/Control}gp");
  expect([location.pathname, page.palette.get()]).toEqual(["/dashboard/developer/tokens", true]);
  await user.keyboard("{Escape}");
  expect(page.palette.get()).toBe(false);
});

test("the account's menu leads to the settings and signs out, which loads another document", async () => {
  const { user, left, calls, findByRole, waitFor } = await renderFrame({ "POST /auth/sign-out": {} });
  sessionStorage.setItem("draft:plant:7", "{}");
  await user.click(await findByRole("button", { name: /Greenleaf Nursery/ }));
  expect((await findByRole("menuitem", { name: "Settings" })).getAttribute("href")).toBe("/dashboard/settings");
  await user.click(await findByRole("menuitem", { name: "Sign out" }));
  await waitFor(() => expect(left).toEqual(["/dashboard/sign-in"]));
  expect([calls().includes("POST /auth/sign-out"), sessionStorage.length]).toEqual([true, 0]);
  expect(localStorage.getItem("plantstore-session")).toBeNull();
});

test("a test store that is being emptied counts down on every page, asked for each second until it is empty", async () => {
  const store = SESSION.store && { ...SESSION.store, test: true };
  let emptying: { left: number } | undefined = { left: 3000 };
  const rendered = await renderComponent(page, {
    session: SESSION,
    answers: {
      "GET /dashboard/api/session": () => ({ ...SESSION, store: store && { ...store, emptying } }),
      "GET /healthz": "ok",
    },
    path: "/dashboard/developer/tokens",
  });
  await rendered.findByText(/is being emptied: 3,000 plants left/);
  expect(renewalOf(rendered.page, "session")).toBe(1000);
  emptying = undefined;
  void rendered.page.queries.invalidateQueries({ queryKey: ["session"] });
  await rendered.waitFor(() => expect(rendered.queryByText(/is being emptied/)).toBeNull());
  expect(renewalOf(rendered.page, "session")).toBe(false);
});
