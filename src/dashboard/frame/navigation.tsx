import { NavLink, Stack } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { HOME } from "../home.ts";
import { Icon, type IconName } from "../icon.tsx";

const PAGES: readonly {
  readonly path: string;
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
}[] = [
  { path: "/", href: HOME, label: "Overview", icon: "overview" },
  { path: "/plants", href: "/plants", label: "Plants", icon: "plant" },
  { path: "/developer", href: "/developer", label: "Developer", icon: "developer" },
  { path: "/settings", href: "/settings", label: "Settings", icon: "settings" },
];

export function Navigation({ onChosen }: { readonly onChosen: () => void }) {
  const [current] = useLocation();
  return (
    <Stack gap={2}>
      {PAGES.map(({ path, href, label, icon }) => (
        <NavLink
          key={path}
          component={Link}
          href={href}
          label={label}
          leftSection={<Icon name={icon} />}
          active={current === path}
          aria-current={current === path ? "page" : undefined}
          onClick={onChosen}
        />
      ))}
    </Stack>
  );
}
