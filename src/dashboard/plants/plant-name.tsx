import { Text } from "@mantine/core";

/** A blank name is a name: it is shown as one. */
export function PlantName({ name }: { readonly name: string }) {
  return name.trim() === "" ? (
    <Text span c="dimmed" fs="italic" inherit>
      (blank)
    </Text>
  ) : (
    name
  );
}
