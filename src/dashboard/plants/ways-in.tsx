import { Group, Stack, Text, Title } from "@mantine/core";
import { saveFile } from "../browser/save-file.ts";
import { Action } from "../components/action.tsx";
import { PLANTS } from "../program/pages.ts";
import { useMay } from "../session/session.ts";

const SAMPLE = "id,name,tag\n1,Monstera deliciosa,indoor\n2,Ficus benjamina,indoor\n3,Lavandula angustifolia,garden\n";

/** The ways to the first plants of a store, by hand first. `program` is the address of the quick start. */
export function WaysIn({ program }: { readonly program: string }) {
  const may = useMay();
  return (
    <section className="ways" aria-label="Ways to add plants">
      <Stack className="panel" gap="sm" align="flex-start">
        <Title order={2} size="h3">
          Add one by hand
        </Title>
        <Text size="sm" c="dimmed" flex={1}>
          Type its name. The next free id is suggested.
        </Text>
        <Action label="Add plant" href={`${PLANTS}?open=add`} />
      </Stack>
      <Stack className="panel" gap="sm" align="flex-start">
        <Title order={2} size="h3">
          Import a file
        </Title>
        <Text size="sm" c="dimmed" flex={1}>
          A table saved as CSV, with any names of columns. You see its first rows before anything is added.
        </Text>
        <Group gap={4}>
          <Action label="Import" href={`${PLANTS}?open=import`} />
          <Action kind="quiet" label="Get a sample" onClick={() => saveFile(SAMPLE, "plants.csv", "text/csv")} />
        </Group>
      </Stack>
      {may("use tokens") && (
        <Stack className="panel" gap="sm" align="flex-start">
          <Title order={2} size="h3">
            Let a program do it
          </Title>
          <Text size="sm" c="dimmed" flex={1}>
            Create a token, and send each plant with one request.
          </Text>
          <Action label="Quick start" href={program} outside={program.startsWith("#")} />
        </Stack>
      )}
    </section>
  );
}
