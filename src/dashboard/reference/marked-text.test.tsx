import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { MarkedText } from "./marked-text.tsx";

test("paragraphs are apart, and code within them is set off without its marks", async () => {
  const { container } = await renderComponent(<MarkedText text={"Keep `next_cursor`.\n\nAsk again with it."} />);
  const paragraphs = [...container.querySelectorAll("p")].map(({ textContent }) => textContent);
  expect(paragraphs).toEqual(["Keep next_cursor.", "Ask again with it."]);
  expect(container.querySelector("code")?.textContent).toBe("next_cursor");
});

test("numbers of errors lead to their table, and other numbers do not", async () => {
  const { getAllByRole } = await renderComponent(
    <MarkedText text="From 0 to 10000; any other is refused with 40004." />,
  );
  expect(getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/docs#error-40004"]);
});

test("a table has a heading for each column, and a link target for each error", async () => {
  const { findByRole, getAllByRole, within } = await renderComponent(
    <MarkedText text={"| Error | Meaning |\n|---|---|\n| 40901 | The `id` is taken |\n| 42901 | Too many |"} />,
  );
  const table = await findByRole("table", { name: "Error, Meaning" });
  expect(getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual(["Error", "Meaning"]);
  const row = document.getElementById("error-40901") as HTMLElement;
  expect(table.contains(row)).toBe(true);
  expect(within(row).getAllByRole("cell")[1]?.querySelector("code")?.textContent).toBe("id");
  expect(document.getElementById("error-42901")).not.toBeNull();
});
