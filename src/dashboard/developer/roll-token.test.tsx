import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { RollToken, termOf } from "./roll-token.tsx";

const token = tokenRecord({
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-04-01T00:00:00.000Z",
});

test("rolling a token that ends soon gives the new one its term anew, unless another is chosen", async () => {
  const { user, asked, findByRole, findByLabelText, findByText } = await renderComponent(
    <RollToken token={token} onClose={() => {}} />,
    { answers: { "POST /dashboard/api/tokens/tok_1/roll": { secret: "plant_new", token } } },
  );
  await findByText("As before: in 90 days");
  await user.click(await findByRole("button", { name: "Roll token" }));
  await findByText(/Copy it now/);
  expect(asked[0]?.body).toBe('{"overlap_seconds":86400}');

  const other = await renderComponent(<RollToken token={token} onClose={() => {}} />, {
    answers: { "POST /dashboard/api/tokens/tok_1/roll": { secret: "plant_new", token } },
  });
  await other.user.selectOptions(await findByLabelText("The new token expires"), "never");
  await other.user.click(await findByRole("button", { name: "Roll token" }));
  await other.findByText(/Copy it now/);
  expect(other.asked[0]?.body).toBe('{"overlap_seconds":86400,"expires_at":null}');
});

test("the term of a token is said in days", () => {
  expect(termOf(token)).toBe("in 90 days");
  expect(termOf({ ...token, expires_at: null })).toBe("never");
});
