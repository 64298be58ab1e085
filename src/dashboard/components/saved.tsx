import { Text } from "@mantine/core";

/** Reports that a form was saved, visibly and to screen readers. */
export function Saved({ when, what }: { readonly when: boolean; readonly what: string }) {
  return (
    <Text size="sm" role="status" c="var(--mantine-color-leaf-light-color)">
      {when ? what : ""}
    </Text>
  );
}
