import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import type { Example } from "../text/request-examples.ts";
import { ExampleBlock } from "./example-block.tsx";

const EXAMPLES: readonly Example[] = [
  { language: "curl", code: "curl 'http://127.0.0.1:3000'" },
  { language: "TypeScript", code: "await fetch('…')" },
  { language: "Python", code: "urlopen('…')" },
];

test("curl comes first; the chosen language alone is in the page, is copied, and is remembered in this browser", async () => {
  const { user, press, findByRole, queryByText, findByText, waitFor } = await renderComponent(
    <ExampleBlock examples={EXAMPLES} />,
  );
  expect((await findByRole("tab", { name: "curl" })).getAttribute("aria-selected")).toBe("true");
  await findByText("curl 'http://127.0.0.1:3000'");
  await user.click(await findByRole("tab", { name: "Python" }));
  await findByText("urlopen('…')");
  expect(queryByText("curl 'http://127.0.0.1:3000'")).toBeNull();
  await press("Copy the example");
  expect(await navigator.clipboard.readText()).toBe("urlopen('…')");
  await waitFor(() => expect(localStorage.getItem("plantstore-language")).toBe('"Python"'));
});
