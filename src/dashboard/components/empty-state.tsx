import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { PlantDrawing } from "./plant-drawing.tsx";

interface EmptyStateProps {
  readonly title: string;
  readonly text: string;
  /** One level below the heading that precedes it. */
  readonly order?: 2 | 3;
  readonly children?: ReactNode;
}

export function EmptyState({ title, text, order = 3, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap="sm" py="xl" ta="center">
      <PlantDrawing />
      <Title order={order}>{title}</Title>
      <Text c="dimmed" maw={420} className="balanced">
        {text}
      </Text>
      {children}
    </Stack>
  );
}
