import { type MantineColorScheme, Menu, NavLink, Text, useMantineColorScheme } from "@mantine/core";
import { Link } from "wouter";
import type { SessionView } from "#contract/dashboard/session.ts";
import { useChange } from "../api/asking.ts";
import { shownFailure } from "../api/failure.ts";
import { Icon } from "../components/icon.tsx";
import { MenuTarget } from "../components/menu-target.tsx";
import { RELEASE_NOTES, SETTINGS } from "../program/pages.ts";
import { openStore, signOut } from "../session/session.ts";
import { capitalized } from "../text/sentence.ts";

const THEMES = { light: "Light", dark: "Dark", auto: "System" };

export function AccountMenu({ session: { account, store, stores } }: { readonly session: SessionView }) {
  const { name, email } = account;
  const several = stores.length > 1;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leaving = useChange(signOut);
  return (
    <Menu position="top-start" width="target" keepMounted={false}>
      <MenuTarget>
        <NavLink
          component="button"
          translate="no"
          label={<bdi>{name}</bdi>}
          description={several && store ? <bdi>{store.name}</bdi> : name === email ? undefined : email}
          leftSection={<Icon name="user" />}
          noWrap
        />
      </MenuTarget>
      <Menu.Dropdown mah="min(560px, 80dvh)" style={{ overflowY: "auto" }}>
        {several && (
          <>
            <Menu.Label>Store</Menu.Label>
            <Menu.RadioGroup value={store?.id ?? ""} onChange={(id) => void openStore(id)}>
              {stores.map(({ id, name, role, test }) => (
                <Menu.RadioItem key={id} value={id} closeMenuOnClick={false}>
                  <bdi translate="no">{name}</bdi>
                  <Text size="xs">{test ? `Test, ${role}` : capitalized(role)}</Text>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Divider />
          </>
        )}
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
