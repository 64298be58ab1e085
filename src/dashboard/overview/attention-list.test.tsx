import { expect, test } from "bun:test";
import type { Attention } from "#contract/dashboard/overview.ts";
import { renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { useTokens } from "../developer/tokens.tsx";
import { AttentionList } from "./attention-list.tsx";

const token = tokenRecord({ expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString() });

async function shown(...attention: readonly Attention[]) {
  const rendered = await renderComponent(<AttentionList attention={attention} />);
  const href = async (name: string) => (await rendered.findByRole("link", { name })).getAttribute("href");
  return { text: rendered.container.textContent, href };
}

/** Is drawn together with the list, so that what the list asks for the tokens is asked by then. */
function TokenCount() {
  return <p>Tokens: {useTokens().data?.length}</p>;
}

test("a token that expires comes with the button that rolls it, an unused one with the button that revokes it", async () => {
  const { href } = await shown({ kind: "expiring", token }, { kind: "unused", token });
  expect(await href("Roll token")).toBe("/dashboard/developer/tokens?token=tok_1&do=roll");
  expect(await href("Revoke token")).toBe("/dashboard/developer/tokens?token=tok_1&do=revoke");
});

test("errors are named in words, with advice, without marks of Markdown, and lead to their requests", async () => {
  const { text, href } = await shown({ kind: "errors", share: 0.2, error: 41201, count: 3 });
  expect(text).toContain("Read it again and repeat your change.");
  expect(text).not.toContain("`");
  expect(await href("Show requests")).toBe("/dashboard/developer/requests?error=41201");
});

test("a token of somebody who was removed stays named until it is rolled; where all were made by oneself, nobody is asked for", async () => {
  const tokens = [
    tokenRecord({ id: "tok_1", name: "Own", made_by: "acc_1" }),
    tokenRecord({ id: "tok_2", name: "Of Ivy", made_by: "acc_2" }),
    tokenRecord({ id: "tok_3", name: "Of Moss", made_by: "acc_9" }),
    tokenRecord({ id: "tok_4", name: "Rolled", made_by: "acc_9", revoked_at: "2999-01-01T00:00:00.000Z" }),
  ];
  const people = { people: [{ id: "acc_1" }, { id: "acc_2" }] };
  const answers = { "GET /dashboard/api/tokens": { tokens }, "GET /dashboard/api/people": people };
  const { findAllByRole } = await renderComponent(<AttentionList attention={[]} />, { answers });
  const rows = await findAllByRole("listitem");
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    "Of Moss was made by somebody who no longer belongs to this store, and may know it still.Roll token",
  ]);
  const withCount = (
    <>
      <AttentionList attention={[]} />
      <TokenCount />
    </>
  );
  const own = await renderComponent(withCount, {
    answers: { ...answers, "GET /dashboard/api/tokens": { tokens: tokens.slice(0, 1) } },
  });
  await own.findByText("Tokens: 1");
  expect(own.calls()).not.toContain("GET /dashboard/api/people");
});
