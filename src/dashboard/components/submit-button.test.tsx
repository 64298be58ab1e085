import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { FormEnd } from "./form-end.tsx";
import { SubmitButton } from "./submit-button.tsx";

async function shown(pending: boolean) {
  const submitted: string[] = [];
  const rendered = await renderComponent(
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submitted.push("submitted");
      }}
    >
      <SubmitButton pending={pending}>Save</SubmitButton>
    </form>,
  );
  return { ...rendered, submitted, button: rendered.getByRole("button", { name: "Save" }) };
}

test("it sends its form by a click and by the keyboard", async () => {
  const { user, button, submitted } = await shown(false);
  await user.click(button);
  button.focus();
  await user.keyboard("{Enter}");
  expect(submitted).toHaveLength(2);
});

test("while it waits it sends nothing, keeps the focus, and tells screen readers that it is unavailable", async () => {
  const { user, button, submitted } = await shown(true);
  button.focus();
  await user.click(button);
  await user.keyboard("{Enter}");
  expect([submitted, document.activeElement === button]).toEqual([[], true]);
  expect([button.getAttribute("aria-disabled"), button.hasAttribute("disabled")]).toEqual(["true", false]);
});

test("its name stays the same while it waits, and the loader beside it is not read out", async () => {
  const { button } = await shown(true);
  expect(button.textContent).toBe("Save");
  expect(button.querySelector(".mantine-Loader-root")?.getAttribute("aria-hidden")).toBe("true");
});

test("the end of a form has its failure above the way out and the button, in the order of reading", async () => {
  const cancelled: string[] = [];
  const { user, container, findByRole } = await renderComponent(
    <FormEnd
      mutation={{ error: new Error("broken"), isPending: false }}
      label="Create token"
      failure="The token could not be created"
      onCancel={() => cancelled.push("cancel")}
    />,
  );
  const alert = await findByRole("alert", { name: "The token could not be created" });
  const buttons = [...container.querySelectorAll("button")];
  expect(buttons.map(({ textContent }) => textContent)).toEqual(["Cancel", "Create token"]);
  const follows = alert.compareDocumentPosition(buttons[0] as Element) & Node.DOCUMENT_POSITION_FOLLOWING;
  expect(follows).toBeGreaterThan(0);
  await user.click(buttons[0] as Element);
  expect(cancelled).toEqual(["cancel"]);
});
