import { Box, Group, Skeleton, Stack, type StackProps, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

export interface PageTitleProps {
  readonly title: string;
  /** True for a name that somebody typed, which no browser may translate. */
  readonly isName?: boolean;
  readonly text?: ReactNode;
  readonly children?: ReactNode;
}

/** The page's heading. After a navigation the keyboard and screen readers start here. */
export function PageTitle({ title, isName, text, children }: PageTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The first page keeps the browser's own starting point, and a focused field keeps the focus.
    if (navigated() && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Box mb="lg">
      <title>{`${title} · Plantstore`}</title>
      <Group justify="space-between" gap="xs" mih={36}>
        <Title order={1} ref={heading} tabIndex={-1} className="page-title" translate={isName ? "no" : undefined}>
          {title}
        </Title>
        {children && <Group gap="xs">{children}</Group>}
      </Group>
      {text && (
        <Text c="dimmed" mt={4} maw={640} style={{ textWrap: "balance" }}>
          {text}
        </Text>
      )}
    </Box>
  );
}

interface PanelProps extends StackProps {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}

export function Panel({ id, title, children, ...props }: PanelProps) {
  return (
    <Stack component="section" className="panel" aria-labelledby={`${id}-title`} {...props}>
      <Title order={2} id={`${id}-title`} tabIndex={-1}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/**
 * Moves the focus to the title of a section, or of the page if there is none, for when the button that had it is removed
 * together with its row or its bar.
 */
export function focusTitle(section?: string): void {
  const title = document.getElementById(`${section}-title`) ?? document.querySelector<HTMLElement>("h1");
  title?.focus({ preventScroll: section === undefined });
}

/** True if the router has changed the address since the document was loaded. */
function navigated(): boolean {
  const [entry] = performance.getEntriesByType("navigation");
  return entry !== undefined && entry.name.split("#")[0] !== location.href.split("#")[0];
}

export function PageWait() {
  return (
    <Stack gap="lg" p="md" aria-busy="true" className="late">
      <Skeleton h={34} w={180} />
      <Skeleton h={120} />
      <Skeleton h={220} />
    </Stack>
  );
}
