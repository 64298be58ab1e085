import { Button, Skeleton, Stack, Table, Text, UnstyledButton } from "@mantine/core";
import { useSearchParams } from "wouter";
import { EmptyState } from "../components/empty-state.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { formatDuration } from "../text/numbers.ts";
import { CreateWebhook } from "./create-webhook.tsx";
import { WebhookDetails } from "./webhook-details.tsx";
import { WebhookState } from "./webhook-state.tsx";
import { useWebhooks, type Webhook } from "./webhooks.ts";

/** The list of webhook endpoints. The address includes the open one. */
export default function WebhooksPage() {
  const webhooks = useWebhooks();
  const [search, setSearch] = useSearchParams();
  const open = webhooks.data?.find(({ id }) => id === search.get("webhook"));
  const add = () => setSearch({ add: "webhook" });
  return (
    <>
      <PageTitle
        title="Webhooks"
        text="Plantstore sends each change of a plant to the addresses that you add here. Every delivery is signed."
      >
        <Button leftSection={<Icon name="plus" />} onClick={add}>
          Add endpoint
        </Button>
      </PageTitle>
      <Stack className="panel wide">
        <FailureNotice cause={webhooks.error} retry={() => webhooks.refetch()} />
        {webhooks.isPending && <Skeleton h={160} className="late" />}
        {webhooks.data?.length === 0 && (
          <EmptyState
            order={2}
            title="No endpoints yet"
            text="Add an address, and Plantstore sends it every change of your plants."
          >
            <Button onClick={add}>Add endpoint</Button>
          </EmptyState>
        )}
        {webhooks.data && webhooks.data.length > 0 && (
          <WebhookTable webhooks={webhooks.data} onOpen={(webhook) => setSearch({ webhook })} />
        )}
      </Stack>
      <CreateWebhook opened={search.get("add") === "webhook"} onClose={() => setSearch({}, { replace: true })} />
      {open && <WebhookDetails key={open.id} webhook={open} onClose={() => setSearch({})} />}
    </>
  );
}

interface WebhookTableProps {
  readonly webhooks: readonly Webhook[];
  readonly onOpen: (id: string) => void;
}

function WebhookTable({ webhooks, onOpen }: WebhookTableProps) {
  return (
    <Table aria-label="Endpoints" className="figures" highlightOnHover verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Address</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th visibleFrom="sm">Events</Table.Th>
          <Table.Th visibleFrom="sm" ta="end">
            Delay
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {webhooks.map((webhook) => (
          <Table.Tr key={webhook.id}>
            <Table.Td>
              <UnstyledButton className="row-link" onClick={() => onOpen(webhook.id)}>
                {webhook.url}
              </UnstyledButton>
              {webhook.description && (
                <Text size="xs" c="dimmed" dir="auto" className="breaks">
                  {webhook.description}
                </Text>
              )}
            </Table.Td>
            <Table.Td>
              <WebhookState webhook={webhook} />
            </Table.Td>
            <Table.Td visibleFrom="sm">{webhook.events.length === 3 ? "All" : webhook.events.join(", ")}</Table.Td>
            <Table.Td visibleFrom="sm" ta="end">
              {webhook.lag_seconds < 1 ? "–" : formatDuration(webhook.lag_seconds * 1000)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
