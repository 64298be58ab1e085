import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import type { Example } from "../text/request-examples.ts";
import { ExampleBlock } from "./example-block.tsx";

const EXAMPLES: readonly Example[] = [
  { language: "curl", code: "curl 'http://127.0.0.1:3000'" },
  { language: "TypeScript", code: "await fetch('…')" },
  { language: "Python", code: "urlopen('…')" },
];

async function shown(examples = EXAMPLES) {
  const rendered = await renderComponent(<ExampleBlock examples={examples} />);
  const choose = async (name: string) => rendered.user.click(await rendered.findByRole("tab", { name }));
  return { ...rendered, choose };
}

test("curl comes first, and only the chosen language is in the page", async () => {
  const { findByRole, queryByText, choose, findByText } = await shown();
  expect((await findByRole("tab", { name: "curl" })).getAttribute("aria-selected")).toBe("true");
  await findByText("curl 'http://127.0.0.1:3000'");
  await choose("Python");
  await findByText("urlopen('…')");
  expect(queryByText("curl 'http://127.0.0.1:3000'")).toBeNull();
});

test("the button copies the example that is shown", async () => {
  const { user, choose, findByRole } = await shown();
  await choose("TypeScript");
  await user.click(await findByRole("button", { name: "Copy the example" }));
  expect(await navigator.clipboard.readText()).toBe("await fetch('…')");
});

test("the chosen language is remembered in this browser", async () => {
  const { choose, waitFor } = await shown();
  await choose("Python");
  await waitFor(() => expect(localStorage.getItem("plantstore-language")).toBe('"Python"'));
});

test("where the remembered language is missing, the first one is shown", async () => {
  const { findByText } = await shown(EXAMPLES.slice(1));
  await findByText("await fetch('…')");
});
