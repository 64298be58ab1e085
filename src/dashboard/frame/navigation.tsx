import { NavLink, Stack } from "@mantine/core";
import { Fragment } from "react";
import { Link, useLocation } from "wouter";
import { Icon } from "../components/icon.tsx";
import { DEVELOPER, offeredSections, SETTINGS } from "../program/pages.ts";
import { useMay } from "../session/session.ts";

export function Navigation({ onChosen }: { readonly onChosen: () => void }) {
  const [current] = useLocation();
  const may = useMay();
  const shown = offeredSections(may).flatMap(({ title, icon, pages }) => {
    const [first, ...others] = pages.filter(({ right }) => may(right));
    if (!first) return [];
    const path = title === "Developer" && may("use tokens") ? DEVELOPER : first.path;
    const alone = others.length === 0;
    return [{ title: alone ? first.title : title, icon, path, alone, pages: [first, ...others] }];
  });
  const within = (path: string) => current === path || current.startsWith(`${path}/`);
  return (
    <Stack gap={2}>
      {shown.map(({ title, icon, path, alone, pages }) => {
        const open = pages.some(({ path }) => (path === "/dashboard" ? current === path : within(path)));
        return (
          <Fragment key={title}>
            <NavLink
              component={Link}
              href={path}
              label={title}
              leftSection={<Icon name={icon} />}
              active={alone && open}
              fw={open ? 500 : undefined}
              aria-current={alone && open ? "page" : undefined}
              onClick={alone ? onChosen : undefined}
            />
            {!alone && open && (
              <Stack gap={1} ml={20} pl={8} style={{ borderLeft: "1px solid var(--plantstore-line)" }}>
                {pages.map(({ path, title }) => {
                  const active = path === SETTINGS ? current === path : within(path);
                  return (
                    <NavLink
                      key={path}
                      component={Link}
                      href={path}
                      label={title}
                      active={active}
                      aria-current={active ? "page" : undefined}
                      onClick={onChosen}
                      py={5}
                    />
                  );
                })}
              </Stack>
            )}
          </Fragment>
        );
      })}
    </Stack>
  );
}
