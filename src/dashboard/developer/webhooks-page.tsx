import { Stack } from "@mantine/core";
import type { WebhookEndpoint } from "#client/webhooks.ts";
import { useAnswer } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { type Column, EmptyState, TableList } from "../components/list.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { WEBHOOKS, WEBHOOKS_RENEWED_MS } from "./webhook-deliveries.tsx";
import { delayText, WebhookDetails, WebhookState } from "./webhook-details.tsx";
import { CreateWebhook } from "./webhook-form.tsx";

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    title: "Address",
    name: ({ url }) => url,
    wraps: true,
    remark: { of: ({ description }) => <bdi translate="no">{description}</bdi> },
  },
  { title: "State", cell: WebhookState },
  { title: "Events", visibleFrom: "sm", cell: ({ events }) => (events.length === 3 ? "All" : events.join(", ")) },
  { title: "Delay", visibleFrom: "sm", ta: "end", cell: ({ lagSeconds }) => delayText(lagSeconds, "–") },
];

export default function WebhooksPage() {
  const webhooks = useAnswer([WEBHOOKS], ({ client }, signal) => client.webhooks.list({ signal }), {
    refetchInterval: WEBHOOKS_RENEWED_MS,
  });
  const [search, change] = useAddress();
  const open = webhooks.data?.find(({ id }) => id === search.get("webhook"));
  const add = () => change({ add: "webhook" });
  return (
    <>
      <PageTitle
        title="Webhooks"
        text="Plantstore sends each change of a plant to the addresses that you add here. Every delivery is signed."
      >
        <Action kind="main" label="Add endpoint" icon="plus" onClick={add} />
      </PageTitle>
      <Stack className="panel wide">
        <TableList
          query={webhooks}
          rows={webhooks.data}
          shape={160}
          empty={
            <EmptyState
              title="No endpoints yet"
              text="Add an address, and Plantstore sends it every change of your plants."
            >
              <Action kind="main" label="Add endpoint" onClick={add} />
            </EmptyState>
          }
          label="Endpoints"
          verticalSpacing="sm"
          columns={COLUMNS}
          keyOf={({ id }) => id}
          onOpen={({ id }) => change({ webhook: id })}
        />
      </Stack>
      {search.get("add") === "webhook" && (
        <CreateWebhook onClose={() => change({ add: undefined }, { replace: true })} />
      )}
      {open && <WebhookDetails key={open.id} webhook={open} onClose={() => change({ webhook: undefined })} />}
    </>
  );
}
