import { Text } from "@mantine/core";

/** Says that a form was saved, for those who see and those who listen. */
export function Saved({ when, what }: { readonly when: boolean; readonly what: string }) {
  return (
    <Text size="sm" role="status" c="var(--mantine-color-leaf-light-color)">
      {when ? what : ""}
    </Text>
  );
}
