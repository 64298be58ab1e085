import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { AttentionList } from "./attention-list.tsx";

const token = tokenRecord({ expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString() });

test("a token that expires comes with the button that rolls it, an unused one with the button that revokes it", async () => {
  const { findByRole } = await renderComponent(
    <AttentionList
      attention={[
        { kind: "expiring", token },
        { kind: "unused", token },
      ]}
    />,
  );
  const href = async (name: string) => (await findByRole("link", { name })).getAttribute("href");
  expect(await href("Roll token")).toBe("/dashboard/developer/tokens?token=tok_1&do=roll");
  expect(await href("Revoke token")).toBe("/dashboard/developer/tokens?token=tok_1&do=revoke");
});

test("errors are named in words, with advice, without marks of Markdown, and lead to their requests", async () => {
  const { container, findByRole } = await renderComponent(
    <AttentionList attention={[{ kind: "errors", share: 0.2, error: 41201, count: 3 }]} />,
  );
  expect(container.textContent).toContain("Read it again and repeat your change.");
  expect(container.textContent).not.toContain("`");
  expect((await findByRole("link", { name: "Show requests" })).getAttribute("href")).toBe(
    "/dashboard/developer/requests?error=41201",
  );
});

test("a token that calls a deprecated version comes with the version, its end and its requests", async () => {
  const ends_at = new Date(Date.now() + 100 * 86_400_000).toISOString();
  const { container, findByRole } = await renderComponent(
    <AttentionList attention={[{ kind: "version", token, version: "1.0.0", requests: 1204, ends_at }]} />,
  );
  expect(container.textContent).toContain(
    "Greenhouse import calls version 1.0.0 of the API, which is deprecated and ends in 3 months: 1,204 requests in the last 30 days.",
  );
  const link = await findByRole("link", { name: "Show versions" });
  expect(link.getAttribute("href")).toBe("/docs/versions#1.0.0");
});
