import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
}

/** A part of the settings, with its own fragment in the address. */
export function Section({ id, title, text, children }: SectionProps) {
  return (
    <section className="panel section" aria-labelledby={`${id}-title`} id={id}>
      <Stack gap={4}>
        <Title order={2} id={`${id}-title`} tabIndex={-1}>
          {title}
        </Title>
        {text && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </Stack>
      <Stack miw={0}>{children}</Stack>
    </section>
  );
}

/** Moves the focus to the title of a section, for when the button that had it is removed together with its row. */
export function focusTitle(id: string): void {
  document.getElementById(`${id}-title`)?.focus();
}
