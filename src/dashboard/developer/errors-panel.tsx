import { Code, Stack, Table, Text, Title } from "@mantine/core";
import { ERRORS } from "#contract/errors.ts";

/** Every number that the API answers. */
export function ErrorsPanel() {
  return (
    <Stack component="section" className="panel" aria-labelledby="errors-title">
      <Title order={2} id="errors-title">
        Errors
      </Title>
      <Text size="sm" c="dimmed">
        A refusal is <Code>{'{"error": 40901, "message": "…"}'}</Code>. A number never changes its meaning.
      </Text>
      <Table className="figures" aria-label="Errors">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Error</Table.Th>
            <Table.Th visibleFrom="sm">Status</Table.Th>
            <Table.Th>When</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.values(ERRORS).map(({ error, status, when }) => (
            <Table.Tr key={error}>
              <Table.Td>
                <Code>{error}</Code>
              </Table.Td>
              <Table.Td visibleFrom="sm">{status}</Table.Td>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                <Prose text={when} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

/** The table's text marks header names as Markdown does. */
function Prose({ text }: { readonly text: string }) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? <Code key={part}>{part}</Code> : part));
}
