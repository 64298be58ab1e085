import { afterEach, expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { CutButton } from "./hint.tsx";

/** This document has no layout, so a test says how wide the text is and how wide the place for it. */
function measure(text: number, place: number): void {
  Reflect.defineProperty(HTMLElement.prototype, "scrollWidth", { get: () => text, configurable: true });
  Reflect.defineProperty(HTMLElement.prototype, "clientWidth", { get: () => place, configurable: true });
}

afterEach(() => {
  Reflect.deleteProperty(HTMLElement.prototype, "scrollWidth");
  Reflect.deleteProperty(HTMLElement.prototype, "clientWidth");
});

async function shown(text: string) {
  const rendered = await renderComponent(<CutButton text={text}>name</CutButton>);
  return { ...rendered, button: rendered.getByRole("button", { name: "name" }) };
}

const LONG = "Chlorophytum comosum variegatum";

test("text that is cut is shown whole while the button has the focus, until Escape", async () => {
  measure(400, 100);
  const { user, queryByText, findByText, waitFor } = await shown(LONG);
  expect(queryByText(LONG)).toBeNull();
  await user.tab();
  await findByText(LONG);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByText(LONG) === null).toBe(true));
});

test("text that fits needs nothing more", async () => {
  measure(80, 100);
  const { user, queryByText } = await shown(LONG);
  await user.tab();
  expect(queryByText(LONG)).toBeNull();
});

test("of a name with a million characters the first thousand are shown", async () => {
  measure(400, 100);
  const { user, findByText } = await shown("x".repeat(1_000_000));
  await user.tab();
  expect((await findByText(/^x+…$/)).textContent).toHaveLength(1001);
});
