import { type MantineColorScheme, Menu, NavLink, Text, useMantineColorScheme } from "@mantine/core";
import { Link } from "wouter";
import type { SessionView } from "#contract/dashboard/session.ts";
import { useChange } from "../api/asking.ts";
import { shownFailure } from "../api/failure.ts";
import { Icon } from "../components/icon.tsx";
import { MenuTarget } from "../components/menu-target.tsx";
import { RELEASE_NOTES, SETTINGS } from "../program/pages.ts";
import { signOut } from "../session/session.ts";

const THEMES = { light: "Light", dark: "Dark", auto: "System" };

export function AccountMenu({ session: { account } }: { readonly session: SessionView }) {
  const { name, email } = account;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leaving = useChange(signOut);
  return (
    <Menu position="top-start" width="target" keepMounted={false}>
      <MenuTarget>
        <NavLink
          component="button"
          translate="no"
          label={<bdi>{name}</bdi>}
          description={name === email ? undefined : email}
          leftSection={<Icon name="user" />}
          noWrap
        />
      </MenuTarget>
      <Menu.Dropdown mah="min(560px, 80dvh)" style={{ overflowY: "auto" }}>
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          {Object.entries(THEMES).map(([scheme, label]) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component={Link} href={SETTINGS} leftSection={<Icon name="settings" size={16} />}>
          Settings
        </Menu.Item>
        <Menu.Item component={Link} href={RELEASE_NOTES} leftSection={<Icon name="plant" size={16} />}>
          What's new
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="leave" size={16} />}
          closeMenuOnClick={false}
          onClick={() => leaving.isPending || leaving.mutate()}
        >
          Sign out
        </Menu.Item>
        {leaving.error && (
          <Text size="sm" c="var(--mantine-color-error)" p="xs" role="alert">
            {shownFailure(leaving.error).message}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
