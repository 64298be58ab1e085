import { expect, test } from "bun:test";
import { useState } from "react";
import { renderComponent } from "#test/support/component.tsx";
import { PageTitle } from "./page-title.tsx";

test("the heading names the page, in the window too", async () => {
  const { findByRole } = await renderComponent(<PageTitle title="Tokens" />);
  await findByRole("heading", { level: 1, name: "Tokens" });
  expect(document.title).toBe("Tokens · Plantstore");
});

test("the text below it and the actions beside it are there only if the page has some", async () => {
  const bare = await renderComponent(<PageTitle title="Tokens" />);
  expect(bare.container.querySelector("p")).toBeNull();
  const whole = await renderComponent(
    <PageTitle title="Tokens" text="A token lets a program act for your account.">
      <button type="button">Create token</button>
    </PageTitle>,
  );
  await whole.findByText("A token lets a program act for your account.");
  await whole.findByRole("button", { name: "Create token" });
});

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

/** Goes to the next page with the focus on that part of the one before. */
async function navigated(from: "nothing" | "a field") {
  const rendered = await renderComponent(<Pages />);
  const link = await rendered.findByRole("button", { name: "Plants" });
  history.pushState(null, "", "/dashboard/plants");
  link.click();
  if (from === "a field") rendered.getByLabelText("Search").focus();
  await rendered.findByRole("heading", { name: "Plants" });
  return rendered;
}

test("after a navigation a field that has the focus keeps it", async () => {
  const { getByLabelText } = await navigated("a field");
  expect(document.activeElement === getByLabelText("Search")).toBe(true);
});

test("the heading can take the focus, and is no stop of the keyboard", async () => {
  const { getByRole } = await navigated("nothing");
  expect(getByRole("heading", { name: "Plants" }).getAttribute("tabindex")).toBe("-1");
});
