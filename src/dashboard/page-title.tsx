import { Group, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

interface PageTitleProps {
  readonly title: string;
  /** The page's one main action, and what goes with it. */
  readonly children?: ReactNode;
}

let first = true;

/** The page's heading. A page that was navigated to starts there for keyboards and screen readers too. */
export function PageTitle({ title, children }: PageTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!first) heading.current?.focus({ preventScroll: true });
    first = false;
  }, []);
  return (
    <Group justify="space-between" gap="sm" mb="lg">
      <title>{`${title} · Plantstore`}</title>
      <Title order={1} ref={heading} tabIndex={-1} className="page-title">
        {title}
      </Title>
      <Group gap="sm">{children}</Group>
    </Group>
  );
}
