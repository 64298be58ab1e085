import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";

// React reports each caught fault to the console, where it would look like a failure of these tests.
let silenced: ReturnType<typeof spyOn>;
beforeEach(() => {
  silenced = spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => silenced.mockRestore());

function Faulty({ fault }: { readonly fault: unknown }): never {
  throw fault;
}

test("a fault of a page says so in its place, that nothing is lost, and how to go on", async () => {
  const { user, left, findByRole } = await renderComponent(
    <ErrorBoundary>
      <Faulty fault={new TypeError("plants is not iterable")} />
    </ErrorBoundary>,
    { path: "/dashboard/plants?q=fern" },
  );
  const alert = await findByRole("alert");
  expect(alert.textContent).toContain("what you typed is kept");
  expect(alert.querySelector("code")?.textContent).toBe("TypeError: plants is not iterable");
  await user.click(await findByRole("button", { name: "Load the page again" }));
  expect(left).toEqual(["http://127.0.0.1:3000/dashboard/plants?q=fern"]);
});

test.each([
  [undefined, "unknown"],
  [new Error("x".repeat(5000)), `Error: ${"x".repeat(193)}`],
])("a fault that says nothing is still said to be one, and a long one is cut (%#)", async (fault, said) => {
  const { findByRole } = await renderComponent(
    <ErrorBoundary>
      <Faulty fault={fault} />
    </ErrorBoundary>,
  );
  expect((await findByRole("alert")).querySelector("code")?.textContent).toBe(said);
});
