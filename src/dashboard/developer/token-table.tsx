import { Code, Table, Text, UnstyledButton } from "@mantine/core";
import type { TokenRecord } from "#contract/dashboard.ts";
import type { TokenAction } from "./open-token.ts";
import { accessOf } from "./token-access.ts";
import { Time } from "./token-details.tsx";
import { TokenMenu } from "./token-menu.tsx";
import { TokenState } from "./token-state.tsx";

interface TokenTableProps {
  readonly label: string;
  readonly tokens: readonly TokenRecord[];
  readonly onAction: (id: string, action: TokenAction) => void;
}

/** Where it is narrow, what does not fit stands below the name. */
export function TokenTable({ label, tokens, onAction }: TokenTableProps) {
  return (
    <Table aria-label={label} className="figures" verticalSpacing="sm" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm">Token</Table.Th>
          <Table.Th visibleFrom="md">Access</Table.Th>
          <Table.Th visibleFrom="sm">Last used</Table.Th>
          <Table.Th visibleFrom="md">Expires</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tokens.map((token) => (
          <Table.Tr key={token.id}>
            <Table.Td>
              <UnstyledButton className="row-link" onClick={() => onAction(token.id, "open")}>
                {token.name}
              </UnstyledButton>
              <Text size="xs" c="dimmed" hiddenFrom="sm" ff="monospace">
                {token.hint}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Code>{token.hint}</Code>
            </Table.Td>
            <Table.Td visibleFrom="md">{accessOf(token)}</Table.Td>
            <Table.Td visibleFrom="sm">
              <Time at={token.last_used_at} none="never" />
            </Table.Td>
            <Table.Td visibleFrom="md">
              <Time at={token.expires_at} none="never" />
            </Table.Td>
            <Table.Td>
              <TokenState token={token} />
            </Table.Td>
            <Table.Td ta="end">
              <TokenMenu token={token} onChosen={(action) => onAction(token.id, action)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
