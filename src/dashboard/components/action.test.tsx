import { expect, test } from "bun:test";
import { focusedName, held, renderComponent } from "#test/support/component.tsx";
import { useChange } from "../api/asking.ts";
import { Action } from "./action.tsx";

function Page() {
  const change = useChange((service) => service.api("POST", "/test"));
  return (
    <>
      <input aria-label="Name" />
      <Action label="Send a test" change={change} />
    </>
  );
}

for (const [where, meanwhile, focused] of [
  ["has the focus again", () => {}, "Send a test"],
  ["leaves the focus where it went meanwhile", () => document.querySelector("input")?.focus(), "Name"],
] as const) {
  test(`a button that has waited ${where}`, async () => {
    const slow = held({});
    const answers = { "POST /dashboard/api/test": slow.answer };
    const { press, getByRole, waitFor } = await renderComponent(<Page />, { answers });
    const button = getByRole("button") as HTMLButtonElement;
    await press("Send a test");
    await waitFor(() => expect(button.disabled).toBe(true));
    // As browsers do with a button that is disabled.
    button.blur();
    meanwhile();
    slow.release();
    await waitFor(() => expect(button.disabled).toBe(false));
    await waitFor(() => expect(focusedName()).toBe(focused));
  });
}
