import { Modal, Stack } from "@mantine/core";
import { useDraft } from "../draft.ts";
import { useFocusReturn } from "../focus-return.ts";
import { FormEnd } from "../form-end.tsx";
import { WebhookFields, type WebhookForm } from "./webhook-fields.tsx";
import { askWebhooks, useWebhookChange, type Webhook } from "./webhooks.ts";

interface EditWebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** The dialog that changes an endpoint; its secret and its position in the feed stay. */
export function EditWebhook({ webhook, onClose }: EditWebhookProps) {
  useFocusReturn();
  const { id, url, description, events, delivery } = webhook;
  const { form, change, clear } = useDraft<WebhookForm>(`webhook:${id}`, {
    url,
    description,
    events: [...events],
    delivery,
  });
  const edit = useWebhookChange((service, asked: Partial<WebhookForm>) =>
    askWebhooks<Webhook>(service, "PATCH", `/${id}`, asked),
  );
  const close = () => {
    clear();
    onClose();
  };
  return (
    <Modal opened onClose={close} title="Edit endpoint">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const changes = changedMembers(webhook, { ...form, url: form.url.trim() });
          if (Object.keys(changes).length === 0) close();
          else edit.mutate(changes, { onSuccess: close });
        }}
      >
        <Stack>
          <WebhookFields form={form} change={change} />
          <FormEnd
            mutation={edit}
            label="Save"
            failure="The endpoint could not be changed"
            onCancel={close}
            disabled={form.events.length === 0}
          />
        </Stack>
      </form>
    </Modal>
  );
}

/** The audit log names each member that is sent, so unchanged ones are left out. */
function changedMembers(webhook: Webhook, { url, description, events, delivery }: WebhookForm): Partial<WebhookForm> {
  return {
    ...(url === webhook.url ? {} : { url }),
    ...(description === webhook.description ? {} : { description }),
    ...(isSameSet(events, webhook.events) ? {} : { events }),
    ...(delivery === webhook.delivery ? {} : { delivery }),
  };
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((item) => others.includes(item));
}
