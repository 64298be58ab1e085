import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { visit } from "#test/support/dom.ts";
import { takeProviderAnswer } from "../api/provider.ts";
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

const CORP = { ...CLOSED, provider: { name: "Corp", only: false } };
const FINISH = "POST /auth/oidc/finish";

test("an answer that was used leads who is signed in to where the page was going, and tells others that it was used", async () => {
  const answer = { search: "?code=x&state=used", purpose: "sign-in", back: "/dashboard/plants" } as const;
  const answers = { "GET /dashboard/api/welcome": CORP, [FINISH]: refusal(40155, "It was taken before") };
  const session = "GET /dashboard/api/session";
  const inside = await renderComponent(<SignInPage answer={answer} />, { answers: { ...answers, [session]: SESSION } });
  await inside.waitFor(() => expect(inside.left).toEqual(["/dashboard/plants"]));
  const outside = await renderComponent(<SignInPage answer={answer} />, {
    answers: { ...answers, [session]: refusal(40150) },
  });
  await outside.findByText("It was taken before");
  expect(outside.left).toEqual([]);
});

test("each of two windows that began knows where it was going, whichever comes first", async () => {
  const goes = async (back: string, state: string) => {
    const kept = { ...localStorage };
    const page = await renderComponent(<SignInPage />, {
      answers: {
        "GET /dashboard/api/welcome": CORP,
        "POST /auth/oidc/begin": { url: `https://login.example/?state=${state}` },
      },
      known: null,
      path: `/dashboard/sign-in?back=${back}`,
    });
    for (const [name, value] of Object.entries(kept)) localStorage.setItem(name, value);
    await page.press("Sign in with Corp");
    await page.waitFor(() => expect(page.left).toHaveLength(1));
  };
  await goes("/dashboard/plants", "a");
  await goes("/docs", "b");
  const backOf = (state: string) => {
    visit(`/dashboard/sign-in?code=x&state=${state}`);
    return takeProviderAnswer()?.back;
  };
  expect([backOf("a"), backOf("b"), backOf("a")]).toEqual(["/dashboard/plants", "/docs", "/dashboard"]);
});
