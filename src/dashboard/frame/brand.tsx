import { Group, Text } from "@mantine/core";

/** The drawing of Plantstore with its name, or with that of the store in use. */
export function Brand({ name }: { readonly name?: string | undefined }) {
  return (
    <Group gap={8} wrap="nowrap" miw={0}>
      <span className="brand-icon" />
      <Text fw={650} size={name === undefined ? "lg" : "md"} lh="24px" className="cut" translate="no" title={name}>
        <bdi>{name ?? "Plantstore"}</bdi>
      </Text>
    </Group>
  );
}
