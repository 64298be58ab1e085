import { expect, test } from "bun:test";
import { useState } from "react";
import { refusal, renderComponent, SESSION, WhenSignedIn } from "#test/support/component.tsx";
import { useService } from "../program/page-context.tsx";
import { leave, mayHaveSession, signOut, useSession, useSessionIfAny, useSignedIn } from "./session.ts";

const ASK = "GET /dashboard/api/session";
const TOKEN = "POST /dashboard/api/access-token";
const OTHER = { ...SESSION, account: { ...SESSION.account, id: "acc_2", name: "Rose Farm" } };

function Account() {
  const signedIn = useSignedIn();
  const service = useService();
  const [state, setState] = useState("idle");
  return (
    <>
      <p>{useSession().account.name}</p>
      <p>{state}</p>
      <button type="button" onClick={() => void signedIn().then(() => setState("signed in again"))}>
        sign in
      </button>
      <button type="button" onClick={() => void signOut(service).catch(() => setState("still here"))}>
        sign out
      </button>
      <button type="button" onClick={() => void service.accessToken()}>
        token
      </button>
    </>
  );
}

async function opened(answers: Record<string, unknown> = {}) {
  const rendered = await renderComponent(
    <WhenSignedIn>
      <Account />
    </WhenSignedIn>,
    { answers },
  );
  await rendered.findByText("Greenleaf Nursery");
  const press = async (name: string) => rendered.user.click(rendered.getByRole("button", { name }));
  return { ...rendered, press };
}

test("the session is asked for once, by however many parts of the page", async () => {
  const { calls } = await renderComponent(
    <WhenSignedIn>
      <Account />
      <Account />
    </WhenSignedIn>,
  );
  expect(calls().filter((call) => call === ASK)).toHaveLength(1);
});

test("a browser that was signed in once is remembered, so that public pages ask for a session", async () => {
  await renderComponent(<p>nobody</p>);
  expect(mayHaveSession()).toBe(false);
  await opened();
  expect(mayHaveSession()).toBe(true);
});

test("a browser whose session has ended is forgotten, so that public pages ask for none again", async () => {
  let over = false;
  const { page, findByText, waitFor } = await renderComponent(
    <WhenSignedIn>
      <p>signed in</p>
    </WhenSignedIn>,
    { answers: { [ASK]: () => (over ? refusal(40150) : SESSION) } },
  );
  await findByText("signed in");
  over = true;
  await page.queries.invalidateQueries();
  await waitFor(() => expect(mayHaveSession()).toBe(false));
});

test("a public page asks for no session of its own", async () => {
  function Reader() {
    return <p>{useSessionIfAny() === undefined ? "a stranger" : "an owner"}</p>;
  }
  const { calls, findByText } = await renderComponent(<Reader />);
  await findByText("a stranger");
  expect(calls()).toEqual([]);
});

test("after the same reader signed in again the page goes on, with what it shows asked for anew", async () => {
  const { page, press, left, findByText } = await opened();
  page.service.sessionEnded.set(true);
  page.queries.setQueryData(["plants"], "from before");
  page.queries.setQueryData(["code"], "the program");
  await press("sign in");
  await findByText("signed in again");
  expect([page.service.sessionEnded.get(), left]).toEqual([false, []]);
  const stale = (key: string) => page.queries.getQueryState([key])?.isInvalidated;
  expect([stale("plants"), stale("code"), stale("session")]).toEqual([true, false, false]);
});

test("after a sign-in the token of the session before is not used again", async () => {
  const { press, calls, findByText, waitFor } = await opened();
  await press("token");
  await press("token");
  await waitFor(() => expect(calls().filter((call) => call === TOKEN)).toHaveLength(1));
  await press("sign in");
  await findByText("signed in again");
  await press("token");
  await waitFor(() => expect(calls().filter((call) => call === TOKEN)).toHaveLength(2));
});

test("another account sees nothing of the first: its own document is loaded, and what was typed is gone", async () => {
  let now = SESSION;
  const { press, left, waitFor, queryByText } = await opened({ [ASK]: () => now });
  sessionStorage.setItem("draft:plant:7", "{}");
  now = OTHER;
  await press("sign in");
  await waitFor(() => expect(left).toEqual(["/dashboard"]));
  expect([sessionStorage.length, queryByText("Rose Farm"), queryByText("signed in again")]).toEqual([0, null, null]);
});

test("signing out ends the session at the service before the page is left", async () => {
  const { press, calls, left, waitFor } = await opened({ "POST /auth/sign-out": {} });
  await press("sign out");
  await waitFor(() => expect(left).toEqual(["/dashboard/sign-in"]));
  expect([calls().at(-1), mayHaveSession()]).toEqual(["POST /auth/sign-out", false]);
});

test("a sign-out that did not reach the service leaves the page as it is", async () => {
  const { press, left, findByText } = await opened();
  await press("sign out");
  await findByText("still here");
  expect([left, mayHaveSession()]).toEqual([[], true]);
});

test("whoever leaves leaves no draft behind", async () => {
  const { left } = await opened();
  sessionStorage.setItem("draft:new-token", "{}");
  leave();
  expect([left, sessionStorage.length]).toEqual([["/dashboard/sign-in"], 0]);
});
