import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { MarkedText } from "./marked-text.tsx";

test("numbers of errors lead to their table, and other numbers do not", async () => {
  const { getAllByRole } = await renderComponent(
    <MarkedText text="From 0 to 10000; any other is refused with 40004." />,
  );
  expect(getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/docs#error-40004"]);
});
