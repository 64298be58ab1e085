import { type MantineColorScheme, Menu, NavLink, Text, useMantineColorScheme } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import { Icon } from "../icon.tsx";
import { signOut, useSession } from "../session/session.ts";

const THEMES = [
  { scheme: "light", label: "Light" },
  { scheme: "dark", label: "Dark" },
  { scheme: "auto", label: "As the system" },
] as const;

const ELLIPSIS = { display: "block", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" } as const;

/** Theme, settings, sign out. */
export function AccountMenu() {
  const { account } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leaving = useMutation({ mutationFn: signOut });
  return (
    <Menu position="top-start" width={220} keepMounted={false}>
      <Menu.Target>
        <NavLink
          component="button"
          label={account.name}
          description={account.name === account.email ? undefined : account.email}
          leftSection={<Icon name="user" />}
          styles={{ label: ELLIPSIS, description: ELLIPSIS }}
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
        <Menu.Item component={Link} href="/settings" leftSection={<Icon name="settings" size={16} />}>
          Settings
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="leave" size={16} />}
          closeMenuOnClick={false}
          onClick={() => leaving.mutate()}
        >
          Sign out
        </Menu.Item>
        {leaving.error && (
          <Text size="sm" c="var(--mantine-color-error)" p="xs" role="alert">
            {leaving.error.message}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
