import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { AttentionList } from "./attention-list.tsx";

const token = tokenRecord({ expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString() });

test("a token of somebody who may make none any more comes with the button that rolls it, and nobody is asked for", async () => {
  const rendered = await renderComponent(<AttentionList attention={[{ kind: "left", token }]} />);
  const row = await rendered.findByRole("listitem");
  expect(row.textContent).toContain("was made by somebody who may make no tokens here any more");
  const link = await rendered.findByRole("link", { name: "Roll token" });
  expect(link.getAttribute("href")).toBe("/dashboard/developer/tokens?token=tok_1&do=roll");
  expect(rendered.calls()).not.toContain("GET /dashboard/api/people");
});
