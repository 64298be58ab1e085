import { useDraft } from "../browser/draft.ts";
import { useFocusReturn } from "../browser/focus-return.ts";
import { Dialog } from "../components/dialog.tsx";
import { WebhookForm, type WebhookMembers } from "./webhook-form.tsx";
import { askWebhooks, useWebhookChange, type Webhook } from "./webhooks.ts";

interface EditWebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/**
 * The dialog that changes an endpoint; its secret and its position in the feed stay. Escape keeps what was typed for the
 * next time.
 */
export function EditWebhook({ webhook, onClose }: EditWebhookProps) {
  useFocusReturn();
  const { id, url, description, events, delivery } = webhook;
  const { form, change, clear } = useDraft<Partial<WebhookMembers>>(`webhook:${id}`, {});
  const edit = useWebhookChange((service, asked: Partial<WebhookMembers>) =>
    askWebhooks<Webhook>(service, "PATCH", `/${id}`, asked),
  );
  const close = () => {
    clear();
    onClose();
  };
  return (
    <Dialog opened onClose={onClose} title="Edit endpoint">
      <WebhookForm
        form={{ url, description, events: [...events], delivery, ...form }}
        change={change}
        mutation={edit}
        label="Save"
        failure="The endpoint could not be changed"
        onSubmit={(asked) => {
          const changes = changedMembers(webhook, asked);
          if (Object.keys(changes).length === 0) close();
          else edit.mutate(changes, { onSuccess: close });
        }}
        onCancel={close}
      />
    </Dialog>
  );
}

/** The audit log names each member that is sent, so unchanged ones are left out. */
function changedMembers(
  webhook: Webhook,
  { url, description, events, delivery }: WebhookMembers,
): Partial<WebhookMembers> {
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
