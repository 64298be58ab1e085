import { expect, test } from "bun:test";
import { useState } from "react";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { useSession, useSignedIn } from "./session.ts";
import { mayHaveSession } from "./session-hint.ts";

const ASK = "GET /dashboard/api/session";

function Account() {
  const signedIn = useSignedIn();
  const [state, setState] = useState("idle");
  return (
    <>
      <p>{useSession().account.name}</p>
      <p>{state}</p>
      <button type="button" onClick={() => void signedIn().then(() => setState("signed in again"))}>
        sign in
      </button>
    </>
  );
}

async function opened(answers: Record<string, unknown> = {}) {
  const rendered = await renderComponent(<Account />, { session: SESSION, answers });
  await rendered.findByText("Greenleaf Nursery");
  return rendered;
}

test("a browser whose session has ended is forgotten, so that public pages ask for none again", async () => {
  let over = false;
  const { page, waitFor } = await opened({ [ASK]: () => (over ? refusal(40150) : SESSION) });
  expect(mayHaveSession()).toBe(true);
  over = true;
  await page.queries.invalidateQueries();
  await waitFor(() => expect(mayHaveSession()).toBe(false));
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
