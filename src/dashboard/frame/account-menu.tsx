import { type MantineColorScheme, Menu, NavLink, Text, useMantineColorScheme } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import type { SessionView } from "#contract/dashboard/session.ts";
import { shownFailure } from "../api/failure.ts";
import { Icon } from "../components/icon.tsx";
import { SETTINGS } from "../program/page-addresses.ts";
import { useService } from "../program/page-context.tsx";
import { signOut } from "../session/session.ts";

const THEMES = [
  { scheme: "light", label: "Light" },
  { scheme: "dark", label: "Dark" },
  { scheme: "auto", label: "System" },
] as const;

const CUT = { display: "block", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" } as const;

/** The menu for the theme, the settings and signing out. */
export function AccountMenu({ account }: { readonly account: SessionView["account"] }) {
  const service = useService();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leaving = useMutation({ mutationFn: () => signOut(service) });
  return (
    <Menu position="top-start" width="target" keepMounted={false}>
      <Menu.Target>
        <NavLink
          component="button"
          label={<bdi>{account.name}</bdi>}
          description={account.name === account.email ? undefined : account.email}
          leftSection={<Icon name="user" />}
          styles={{ label: CUT, description: CUT, body: { minWidth: 0 } }}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          {THEMES.map(({ scheme, label }) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component={Link} href={SETTINGS} leftSection={<Icon name="settings" size={16} />}>
          Settings
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="leave" size={16} />}
          closeMenuOnClick={false}
          onClick={() => {
            if (!leaving.isPending) leaving.mutate();
          }}
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
