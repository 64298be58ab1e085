import { expect, test } from "bun:test";
import { useState } from "react";
import { renderComponent } from "#test/support/component.tsx";
import { PageTitle } from "./page-title.tsx";

function Pages() {
  const [page, setPage] = useState("Overview");
  return (
    <>
      <button type="button" onClick={() => setPage("Plants")}>
        Plants
      </button>
      <input aria-label="Search" />
      <PageTitle key={page} title={page} />
    </>
  );
}

test("after a navigation a field that has the focus keeps it, and the heading is no stop of the keyboard", async () => {
  const { findByRole, getByLabelText } = await renderComponent(<Pages />);
  const link = await findByRole("button", { name: "Plants" });
  history.pushState(null, "", "/dashboard/plants");
  link.click();
  getByLabelText("Search").focus();
  expect((await findByRole("heading", { name: "Plants" })).getAttribute("tabindex")).toBe("-1");
  expect(document.activeElement === getByLabelText("Search")).toBe(true);
});
