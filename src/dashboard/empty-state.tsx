import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { PlantDrawing } from "./plant-drawing.tsx";

interface EmptyStateProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap="sm" py="xl" ta="center">
      <PlantDrawing />
      <Title order={3}>{title}</Title>
      <Text c="dimmed" maw={420}>
        {text}
      </Text>
      {children}
    </Stack>
  );
}
