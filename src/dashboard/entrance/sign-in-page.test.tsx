import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import SignInPage, { pathWithin } from "./sign-in-page.tsx";

const CLOSED = { open: false, needs_code: true, message: "There is an account already", mail: false };

test("at the second factor there is nothing but its form and the way back", async () => {
  const welcome = { open: true, needs_code: false, message: "", mail: true };
  const { user, findByLabelText, findByRole, queryByRole } = await renderComponent(<SignInPage />, {
    answers: { "GET /dashboard/api/welcome": welcome, "POST /auth/sign-in/email": { two_factor: true } },
  });
  await findByRole("link", { name: "Create an account" });
  await user.type(await findByLabelText(/E-mail/), "owner@greenleaf.example");
  await user.type(await findByLabelText(/^Password/), "monstera in the rain");
  await user.click(await findByRole("button", { name: "Sign in" }));
  await findByLabelText("Code from your authenticator app");
  expect(queryByRole("link")).toBeNull();
  await user.click(await findByRole("button", { name: "Back to sign-in" }));
  await findByRole("link", { name: "Create an account" });
  expect(await findByLabelText(/E-mail/)).toHaveProperty("value", "owner@greenleaf.example");
  expect(await findByLabelText(/^Password/)).toHaveProperty("value", "");
});

test("before the first account it says where the link for it was printed, and afterwards it does not", async () => {
  const welcome = { open: false, needs_code: true, message: "The link is used up or wrong", mail: false };
  const first = await renderComponent(<SignInPage />, { answers: { "GET /dashboard/api/welcome": welcome } });
  await first.findByText(/Open the link that was printed when Plantstore started/);
  const later = await renderComponent(<SignInPage />, { answers: { "GET /dashboard/api/welcome": CLOSED } });
  await later.findByRole("button", { name: "Sign in" });
  expect(later.queryByText(/was printed when Plantstore started/)).toBeNull();
});

test("a sign-in leads back to the page and the state that was asked for", () => {
  for (const back of ["/dashboard/plants?q=fern&order=id", "/docs", "/dashboard?range=hour"]) {
    expect(pathWithin(back)).toBe(back);
  }
});

test("an address that leads elsewhere, or back to the sign-in, leads to the Overview", () => {
  for (const back of [null, "", "//evil.example", "/\\evil.example", "https://evil.example", "/dashboards", "plants"]) {
    expect(pathWithin(back)).toBe("/dashboard");
  }
  expect(pathWithin("/dashboard/sign-in?back=/dashboard/plants")).toBe("/dashboard");
});
