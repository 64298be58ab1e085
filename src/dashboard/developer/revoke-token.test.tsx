import { expect, test } from "bun:test";
import { focusedName, held, refusal, renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { RevokeToken } from "./revoke-token.tsx";

const REVOKE = "POST /dashboard/api/tokens/tok_1/revoke";

async function opened(answer: unknown, token = tokenRecord({ name: "Till" })) {
  const closed: string[] = [];
  const rendered = await renderComponent(<RevokeToken token={token} onClose={() => closed.push("closed")} />, {
    answers: { [REVOKE]: answer },
  });
  await rendered.findByRole("dialog", { name: /^Revoke Till/ });
  return { ...rendered, closed };
}

test("the question names the token and its last use, and the safe answer has the focus", async () => {
  const { findByText, waitFor } = await opened({});
  await findByText(/Every request with plant_4fQa…x81Z is refused from then on/);
  await findByText("It was never used.");
  await waitFor(() => expect(focusedName()).toBe("Cancel"));
});

test("a token that was used says when", async () => {
  const last_used_at = new Date(Date.now() - 2 * 86_400_000).toISOString();
  const { findByText } = await opened({}, tokenRecord({ name: "Till", last_used_at }));
  await findByText("2 days ago");
});

test("once it is revoked the dialog closes, and screen readers hear it", async () => {
  const { user, closed, findByRole, findByText } = await opened(tokenRecord({ state: "revoked" }));
  await user.click(await findByRole("button", { name: "Revoke" }));
  await findByText("Till is revoked");
  expect(closed).toEqual(["closed"]);
});

test("a refusal stays in the dialog with its reason, and another try is one click away", async () => {
  let away = true;
  const { user, closed, findByRole, findByText, waitFor } = await opened(() =>
    away ? refusal(50301, "The storage is away") : tokenRecord({ state: "revoked" }),
  );
  await user.click(await findByRole("button", { name: "Revoke" }));
  await findByText("The token could not be revoked");
  await findByText("The storage is away");
  expect(closed).toEqual([]);
  away = false;
  await user.click(await findByRole("button", { name: "Revoke" }));
  await waitFor(() => expect(closed).toEqual(["closed"]));
});

test("a double click revokes it once", async () => {
  const slow = held(tokenRecord({ state: "revoked" }));
  const { user, calls, closed, findByRole, waitFor } = await opened(slow.answer);
  await user.dblClick(await findByRole("button", { name: "Revoke" }));
  slow.release();
  await waitFor(() => expect(closed).toEqual(["closed"]));
  expect(calls().filter((call) => call === REVOKE)).toHaveLength(1);
});

test("Escape revokes nothing", async () => {
  const { user, calls, closed } = await opened({});
  await user.keyboard("{Escape}");
  expect(closed).toEqual(["closed"]);
  expect(calls()).not.toContain(REVOKE);
});
