import { Checkbox, Switch, TextInput } from "@mantine/core";
import { STORE_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { useChange } from "../api/asking.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Form, nameRules, Saved, useForm } from "../components/form.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { openStore, useSession } from "../session/session.ts";
import { Section } from "./section.tsx";

const NAME = nameRules(STORE_NAME_LENGTH_MAX);

export function StoreName() {
  const { store } = useSession();
  const form = useForm({
    initial: { name: store?.name ?? "" },
    send: (service, { name }) => service.api("PATCH", "/store", { name: name.trim() }),
    changes: ["session"],
  });
  return (
    <Section id="store" title="Name of the store" text="Shown to everybody in the store, and to whoever you invite.">
      <Form form={form} label="Save" failure="The name could not be saved" saved="Saved" variant="default" maw={420}>
        <TextInput {...form.field("name", "Name")} {...NAME} />
      </Form>
    </Section>
  );
}

export function StoreRules() {
  const { store } = useSession();
  const change = useChange(
    (service, second_factor_required: boolean) => service.api("PATCH", "/store", { second_factor_required }),
    { changes: ["session"], done: (_, renewed) => renewed },
  );
  const isRequired = change.isPending ? change.variables : store?.second_factor_required === true;
  return (
    <Section id="rules" title="Rules" text="They hold for everybody in this store, from their next request on.">
      <Switch
        label="Everybody needs a second factor or a passkey"
        description="Anyone who has neither sees nothing of this store until they add one."
        checked={isRequired}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      <Saved when={change.isSuccess} what="Saved" />
      <FailureNotice cause={change.error} title="The rule could not be changed" />
    </Section>
  );
}

export function NewStore({ onClose }: { readonly onClose: () => void }) {
  const form = useForm({
    initial: { name: "", test: false },
    send: (service, { name, test }) => service.api<{ id: string }>("POST", "/stores", { name: name.trim(), test }),
    done: ({ id }) => openStore(id),
  });
  return (
    <FormDialog {...{ form, onClose }} title="New store" label="Create store" failure="The store could not be created">
      <TextInput {...form.field("name", "Name")} {...NAME} data-autofocus />
      <Checkbox
        {...form.checkbox("test", "A test store")}
        description="To try things out: marked on every page, and can be emptied. Otherwise it works as any other."
      />
    </FormDialog>
  );
}
