import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { noAnswer, renderComponent } from "#test/support/component.tsx";
import { CopyButton } from "./copy-button.tsx";

// "Copied" stands there for seconds. Here nothing takes it away, however long the process is paused.
let timers: ReturnType<typeof spyOn>;
beforeEach(() => {
  const start = window.setTimeout.bind(window);
  timers = spyOn(window, "setTimeout").mockImplementation(((act: () => void, ms = 0) =>
    ms < 1000 ? start(act, ms) : 0) as typeof setTimeout);
});
afterEach(() => {
  timers.mockRestore();
  Reflect.deleteProperty(document, "execCommand");
});

/** A page without HTTPS has no clipboard; some browsers still copy what is selected, others refuse that too. */
function withoutClipboard(copySelection: () => boolean): void {
  Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
  Object.defineProperty(document, "execCommand", { value: copySelection, configurable: true });
}

/** The button, and what it calls once the text was copied. */
async function shown() {
  const kept: string[] = [];
  const onCopied = () => kept.push("copied");
  const rendered = await renderComponent(<CopyButton value="plant_1" what="token" onCopied={onCopied} />);
  return { ...rendered, kept, button: await rendered.findByRole("button", { name: "Copy the token" }) };
}

test("without HTTPS it copies by selecting the text, leaves nothing behind and keeps the focus", async () => {
  const { user, button, kept, container, findByText } = await shown();
  const selected: string[] = [];
  withoutClipboard(() => {
    selected.push(String(document.querySelector("textarea")?.value));
    return true;
  });
  await user.click(button);
  await findByText("Copied", { selector: "button *" });
  expect([selected, kept]).toEqual([["plant_1"], ["copied"]]);
  expect(container.querySelector("textarea")).toBeNull();
  expect(document.activeElement === button).toBe(true);
});

for (const [why, copySelection] of [
  ["refuses", () => false],
  ["throws", noAnswer],
] as const) {
  test(`where the browser ${why}, nothing is said to be copied, and the reader is told what to do`, async () => {
    const { user, button, kept, findByText, queryByText } = await shown();
    withoutClipboard(copySelection);
    await user.click(button);
    await findByText(/Select the text and copy it yourself/);
    await findByText("Not copied");
    expect([queryByText("Copied"), kept]).toEqual([null, []]);
  });
}
