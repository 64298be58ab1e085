import { expect, test } from "bun:test";
import type { SessionView } from "#contract/dashboard/session.ts";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import StorePage from "./store-page.tsx";

const REMOVE_STORE = "POST /dashboard/api/store/delete";
const OVERVIEW = { plants: 12, creates_today: 0, errors_today: 0, active_tokens: 3, attention: [] };

function opened(store: Partial<SessionView["store"]> = {}) {
  const answers = {
    [REMOVE_STORE]: new Response(null, { status: 204 }),
    "GET /dashboard/api/overview": OVERVIEW,
    "GET /dashboard/api/people": { people: [], invitations: [] },
  };
  const shown = SESSION.store && { ...SESSION.store, ...store };
  return renderComponent(<StorePage />, { known: { ...SESSION, store: shown }, answers });
}

test("a store is removed once its name was typed, after its plants and tokens were counted; the reader goes on in another", async () => {
  const { press, user, findByText, findByLabelText, left, sent, waitFor } = await opened();
  await press("Remove this store");
  await findByText("12 plants");
  await findByText(/3 active tokens/);
  await user.type(await findByLabelText(/^Type/), "Greenleaf Nursery{Enter}");
  await waitFor(() => expect(left).toEqual(["/dashboard"]));
  expect(sent(REMOVE_STORE)).toEqual([{ name: "Greenleaf Nursery" }]);
});
