import { expect, test } from "bun:test";
import { Menu } from "@mantine/core";
import { useState } from "react";
import { focusedName, renderComponent } from "#test/support/component.tsx";
import { Dialog, SidePanel } from "./dialog.tsx";
import { MoreMenu } from "./menu-target.tsx";

function Nested({ stubborn = false }: { readonly stubborn?: boolean }) {
  const [open, setOpen] = useState<readonly string[]>([]);
  const isOpen = (name: string) => open.includes(name);
  const close = (name: string) => () => setOpen((before) => before.filter((each) => each !== name));
  const button = (name: string) => (
    <button type="button" onClick={() => setOpen((before) => [...before, name])}>
      open {name}
    </button>
  );
  return (
    <>
      {button("panel")}
      {isOpen("panel") && (
        <SidePanel onClose={close("panel")} title="panel" size={400}>
          {button("question")}
          {isOpen("question") && (
            <Dialog onClose={close("question")} title="question" closeOnEscape={!stubborn}>
              {button("proof")}
              {isOpen("proof") && (
                <Dialog onClose={close("proof")} title="proof">
                  sure?
                </Dialog>
              )}
            </Dialog>
          )}
        </SidePanel>
      )}
    </>
  );
}

async function opened(...names: readonly string[]) {
  const rendered = await renderComponent(<Nested stubborn={names.includes("stubborn")} />);
  for (const name of names.filter((each) => each !== "stubborn")) {
    await rendered.user.click(await rendered.findByRole("button", { name: `open ${name}`, hidden: true }));
    await rendered.findByRole("dialog", { name });
  }
  const shown = () =>
    rendered.queryAllByRole("dialog", { hidden: true }).map((dialog) => {
      const title = document.getElementById(dialog.getAttribute("aria-labelledby") ?? "");
      return title?.textContent ?? "";
    });
  const pressEscape = () => rendered.user.keyboard("{Escape}");
  return { ...rendered, shown, pressEscape };
}

test("Escape closes one dialog after the other, the topmost first", async () => {
  const { shown, pressEscape, waitFor } = await opened("panel", "question", "proof");
  await pressEscape();
  await waitFor(() => expect(shown()).toEqual(["panel", "question"]));
  await pressEscape();
  await waitFor(() => expect(shown()).toEqual(["panel"]));
  await pressEscape();
  await waitFor(() => expect(shown()).toEqual([]));
});

test("a dialog that Escape must not close protects those below it too", async () => {
  const { shown, pressEscape } = await opened("panel", "question", "stubborn");
  await pressEscape();
  await pressEscape();
  expect(shown()).toEqual(["panel", "question"]);
});

test("after a dialog that was chosen in a menu the button of the menu has the focus", async () => {
  function Row() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <MoreMenu label="Actions for Till">
          <Menu.Item onClick={() => setOpen(true)}>Rename</Menu.Item>
        </MoreMenu>
        {open && (
          <Dialog onClose={() => setOpen(false)} title="Rename Till">
            Name
          </Dialog>
        )}
      </>
    );
  }
  const { user, press, findByRole, waitFor } = await renderComponent(<Row />);
  await press("Actions for Till");
  await user.click(await findByRole("menuitem", { name: "Rename" }));
  await findByRole("dialog", { name: "Rename Till" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(focusedName()).toBe("Actions for Till"));
});
