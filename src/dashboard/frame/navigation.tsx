import { NavLink, Stack } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { Icon } from "../components/icon.tsx";
import { DEVELOPER } from "../program/page-addresses.ts";
import { type Page, SECTIONS, type Section } from "../program/pages.ts";

/** All sections, with the pages of the open one. */
export function Navigation({ onChosen }: { readonly onChosen: () => void }) {
  const [current] = useLocation();
  return (
    <Stack gap={2}>
      {SECTIONS.map((section) => (
        <SectionLinks key={section.title} section={section} current={current} onChosen={onChosen} />
      ))}
    </Stack>
  );
}

interface SectionLinksProps {
  readonly section: Section;
  readonly current: string;
  readonly onChosen: () => void;
}

function SectionLinks({ section, current, onChosen }: SectionLinksProps) {
  const { title, icon, pages } = section;
  const [first] = pages;
  const open = pages.some(({ path }) => path === current || (current.startsWith(`${path}/`) && path !== "/dashboard"));
  const alone = pages.length === 1;
  return (
    <>
      <NavLink
        component={Link}
        href={title === "Developer" ? DEVELOPER : first.path}
        label={title}
        leftSection={<Icon name={icon} />}
        active={alone && open}
        className={open ? "section-open" : undefined}
        aria-current={alone && open ? "page" : undefined}
        onClick={alone ? onChosen : undefined}
      />
      {!alone && open && (
        <Stack gap={1} className="subpages">
          {pages.map((page) => (
            <PageLink key={page.path} page={page} current={current} onChosen={onChosen} />
          ))}
        </Stack>
      )}
    </>
  );
}

interface PageLinkProps {
  readonly page: Page;
  readonly current: string;
  readonly onChosen: () => void;
}

function PageLink({ page: { path, title }, current, onChosen }: PageLinkProps) {
  const active = current === path || (path !== "/dashboard/settings" && current.startsWith(`${path}/`));
  return (
    <NavLink
      component={Link}
      href={path}
      label={title}
      active={active}
      aria-current={active ? "page" : undefined}
      onClick={onChosen}
      py={5}
    />
  );
}
