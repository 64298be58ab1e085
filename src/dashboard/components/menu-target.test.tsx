import { expect, test } from "bun:test";
import { Menu } from "@mantine/core";
import { renderComponent } from "#test/support/component.tsx";
import { MenuTarget } from "./menu-target.tsx";

test("a button with a class of its own opens its menu, and has the focus again when that is closed", async () => {
  const { user, getByRole, findByRole } = await renderComponent(
    <Menu keepMounted={false}>
      <MenuTarget>
        <button type="button" className="own">
          Export
        </button>
      </MenuTarget>
      <Menu.Dropdown>
        <Menu.Item>As CSV</Menu.Item>
      </Menu.Dropdown>
    </Menu>,
  );
  const button = getByRole("button", { name: "Export" });
  const state = (name: string) => button.getAttribute(`aria-${name}`);
  expect([button.className, state("haspopup"), state("expanded")]).toEqual(["own", "menu", "false"]);
  await user.click(button);
  const menu = await findByRole("menu");
  expect([state("expanded"), state("controls")]).toEqual(["true", menu.id]);
  await user.keyboard("{Escape}");
  expect([state("expanded"), document.activeElement === button]).toEqual(["false", true]);
});
