import { useState } from "react";
import type { WebhookWithSecret } from "#contract/v1/webhooks.ts";
import { useDraft } from "../browser/draft.ts";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { EMPTY_WEBHOOK, WebhookForm, type WebhookMembers } from "./webhook-form.tsx";
import { askWebhooks, shownWebhookSecret, useWebhookChange } from "./webhooks.ts";

interface CreateWebhookProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The dialog that adds an endpoint and shows its signing secret once. */
export function CreateWebhook({ opened, onClose }: CreateWebhookProps) {
  const [secret, setSecret] = useState<string>();
  return (
    <SecretDialog
      opened={opened || secret !== undefined}
      title="Add endpoint"
      secret={secret === undefined ? undefined : shownWebhookSecret(secret)}
      onClose={() => {
        setSecret(undefined);
        onClose();
      }}
    >
      <CreateWebhookForm onCancel={onClose} onCreated={setSecret} />
    </SecretDialog>
  );
}

interface CreateWebhookFormProps {
  readonly onCreated: (secret: string) => void;
  readonly onCancel: () => void;
}

function CreateWebhookForm({ onCreated, onCancel }: CreateWebhookFormProps) {
  const { form, change, clear } = useDraft("new-webhook", EMPTY_WEBHOOK);
  const create = useWebhookChange((service, asked: WebhookMembers) =>
    askWebhooks<WebhookWithSecret>(service, "POST", "", asked),
  );
  return (
    <WebhookForm
      form={form}
      change={change}
      mutation={create}
      label="Add endpoint"
      failure="The endpoint could not be added"
      onSubmit={(asked) =>
        create.mutate(asked, {
          onSuccess: ({ secret }) => {
            clear();
            onCreated(secret);
          },
        })
      }
      onCancel={() => {
        clear();
        onCancel();
      }}
    />
  );
}
