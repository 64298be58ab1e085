import { expect, test } from "bun:test";
import type { Attention } from "#contract/dashboard/overview.ts";
import { renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { AttentionList } from "./attention-list.tsx";

const token = tokenRecord({ expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString() });

async function shown(...attention: readonly Attention[]) {
  const rendered = await renderComponent(<AttentionList attention={attention} />);
  const href = async (name: string) => (await rendered.findByRole("link", { name })).getAttribute("href");
  return { text: rendered.container.textContent, href };
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

test("a token of somebody who may make none any more comes with the button that rolls it, and nobody is asked for", async () => {
  const rendered = await renderComponent(<AttentionList attention={[{ kind: "left", token }]} />);
  const row = await rendered.findByRole("listitem");
  expect(row.textContent).toContain("was made by somebody who may make no tokens here any more");
  const link = await rendered.findByRole("link", { name: "Roll token" });
  expect(link.getAttribute("href")).toBe("/dashboard/developer/tokens?token=tok_1&do=roll");
  expect(rendered.calls()).not.toContain("GET /dashboard/api/people");
});
