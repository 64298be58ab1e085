import { Code, Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { AccountRemoval, StoreRemoval } from "#contract/dashboard/account.ts";
import { useAnswer } from "../api/asking.ts";
import { useAnnounce } from "../components/announcer.tsx";
import { Answered } from "../components/answered.tsx";
import { useForm } from "../components/form.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { useOverview } from "../overview/usage.ts";
import { PLANT_DATA } from "../plants/plant-data.ts";
import { SESSION_KEY } from "../program/page-context.tsx";
import { leave, leaveStore, useSession } from "../session/session.ts";
import { counted } from "../text/numbers.ts";
import { usePeople } from "./people.tsx";

interface RemovalProps {
  readonly onClose: () => void;
}

interface TypedQuestionProps extends RemovalProps, Record<"title" | "label" | "failure", string> {
  /** The path below /dashboard/api that takes the text under this name. */
  readonly path: string;
  readonly member: "name" | "email";
  readonly expected: string;
  /** Sent with the text. */
  readonly shown?: object;
  readonly changes?: readonly string[];
  readonly done: () => unknown;
  readonly close?: () => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** Asks before much is removed for good: the reader types what it is. */
function TypedQuestion(props: TypedQuestionProps) {
  const {
    title,
    label,
    failure,
    path,
    member,
    expected,
    shown,
    disabled = false,
    onClose,
    children,
    ...options
  } = props;
  const form = useForm({
    initial: { typed: "" },
    send: (service, { typed }) => service.api("POST", path, { [member]: typed, ...shown }, "asked"),
    ...options,
  });
  const isOther = form.values.typed.trim() !== expected.trim();
  return (
    <FormDialog {...{ title, form, label, failure, onClose }} color="red" disabled={disabled || isOther}>
      {children}
      <TextInput
        {...form.field("typed", "Confirmation")}
        label={
          <span className="breaks">
            Type <Code>{expected}</Code> to confirm
          </span>
        }
        required
        data-autofocus
      />
    </FormDialog>
  );
}

function namedStores(stores: readonly StoreRemoval[], said: (store: StoreRemoval) => string): ReactNode[] {
  return stores.map((store) => (
    <span key={store.id}>
      <bdi translate="no">{store.name}</bdi>
      {said(store)}
    </span>
  ));
}

function Fate({ title, of }: { readonly title: string; readonly of: readonly ReactNode[] }) {
  const shown = of.filter(Boolean);
  if (shown.length === 0) return null;
  return (
    <div>
      <Text fw={500}>{title}</Text>
      <Stack component="ul" gap={2} m={0} pl={20} className="breaks">
        {shown.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lists do not change while they are shown
          <li key={index}>{each}</li>
        ))}
      </Stack>
    </div>
  );
}

export function RemoveStore({ onClose }: RemovalProps) {
  const { account, store, stores } = useSession();
  const overview = useOverview();
  const others = usePeople().data?.people.filter(({ id }) => id !== account.id) ?? [];
  const name = store?.name ?? "";
  return (
    <TypedQuestion
      title="Remove this store?"
      label="Remove the store"
      failure="The store could not be removed"
      path="/store/delete"
      member="name"
      expected={name}
      done={leaveStore}
      onClose={onClose}
    >
      <Answered query={overview} data={overview.data} shape={150}>
        {({ plants, active_tokens }) => (
          <Stack gap="sm">
            <Fate
              title="Removed for good"
              of={[
                counted(plants, "plant"),
                `${counted(active_tokens ?? 0, "active token")}, and programs that use them stop`,
                "Webhook endpoints, events, logs and figures",
                others.length > 0 && "The access of everybody else",
              ]}
            />
            <Fate
              title="Kept"
              of={[
                stores.length > 1
                  ? "Your sign-in, and your other stores"
                  : "Your sign-in, which then belongs to no store",
                others.length > 0 && "The sign-ins of the others, and their other stores",
              ]}
            />
            <Text>This cannot be undone. Export your plants first.</Text>
          </Stack>
        )}
      </Answered>
    </TypedQuestion>
  );
}

export function EmptyStore({ onClose }: RemovalProps) {
  const { store } = useSession();
  const announce = useAnnounce();
  return (
    <TypedQuestion
      title="Empty this store?"
      label="Empty the store"
      failure="The store could not be emptied"
      path="/store/empty"
      member="name"
      expected={store?.name ?? ""}
      changes={[...SESSION_KEY, ...PLANT_DATA]}
      done={() => announce("The store is being emptied")}
      close={onClose}
      onClose={onClose}
    >
      <Fate title="Removed for good" of={["Every plant of this test store"]} />
      <Fate title="Kept" of={["Tokens, webhook endpoints, people, logs and figures"]} />
    </TypedQuestion>
  );
}

export function DeleteAccount({ onClose }: RemovalProps) {
  const { account } = useSession();
  const removal = useAnswer(["account-removal"], (service) => service.api<AccountRemoval>("GET", "/account/removal"), {
    gcTime: 0,
    staleTime: 0,
  });
  const of = (fate: StoreRemoval["fate"]) => (removal.data?.stores ?? []).filter((store) => store.fate === fate);
  const [deleted, kept, blocking] = [of("deleted"), of("kept"), of("blocking")];
  return (
    <TypedQuestion
      title="Delete this account?"
      label="Delete the account"
      failure="The account could not be deleted"
      path="/account/delete"
      member="email"
      expected={account.email}
      shown={{ stores: deleted.map(({ id }) => id) }}
      done={leave}
      disabled={!removal.data || blocking.length > 0}
      onClose={onClose}
    >
      <Answered query={removal} data={removal.data} shape={150}>
        {() => (
          <Stack gap="sm">
            <Fate
              title="Removed for good"
              of={[
                "Your sign-in: address, password, second factor, passkeys and sessions",
                ...namedStores(
                  deleted,
                  ({ plants }) => `, with ${counted(plants, "plant")}, its tokens, webhooks, logs and figures`,
                ),
              ]}
            />
            <Fate
              title="Kept"
              of={namedStores(
                kept,
                ({ people }) => `, with ${counted(people - 1, "other")}, and the tokens that you made in it`,
              )}
            />
            <Fate
              title="Needs another owner first"
              of={namedStores(
                blocking,
                () => ", to which others belong: make one of them an owner, or remove the store",
              )}
            />
            <Text>This cannot be undone. Export your plants first.</Text>
          </Stack>
        )}
      </Answered>
    </TypedQuestion>
  );
}
