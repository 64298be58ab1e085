import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import ReleaseNotesPage from "./release-notes-page.tsx";
import { releasesOf } from "./releases.ts";

test("the changes of a release are told from the changelog", async () => {
  const { findByRole, getAllByRole } = await renderComponent(<ReleaseNotesPage />, { answers: {} });
  await findByRole("heading", { name: "1.0.0" });
  expect(getAllByRole("listitem").length).toBeGreaterThan(3);
});

test("a change of several lines is one, and a line of text names those below it", () => {
  expect(
    releasesOf(
      "# Changelog\n\n## 2.0.0\n\n- **One**\n  change\n- [Two](docs/two.md)\n\n## 1.0.0\n\nThe service\n\n- Three\n",
    ),
  ).toEqual([
    { title: "2.0.0", parts: [{ heading: "", changes: ["One change", "Two"] }] },
    { title: "1.0.0", parts: [{ heading: "The service", changes: ["Three"] }] },
  ]);
});
