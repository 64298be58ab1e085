import { Code, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { Action } from "../components/action.tsx";
import { DetailsList } from "../components/details.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useMay, useSession } from "../session/session.ts";
import { DeleteAccount, EmptyStore, RemoveStore } from "./account-removals.tsx";
import { Section } from "./section.tsx";
import { NewStore, StoreName, StoreRules } from "./store-sections.tsx";

const DIALOGS = { store: RemoveStore, empty: EmptyStore, account: DeleteAccount };

/** The store, for its owners, and one's own account. */
export default function AccountPage() {
  const { account, store } = useSession();
  const manages = useMay()("manage store");
  const [asked, setAsked] = useState<keyof typeof DIALOGS>();
  const Asked = asked && DIALOGS[asked];
  return (
    <>
      <PageTitle title="Account" />
      <Stack gap="lg">
        <Section id="account" title="About">
          <DetailsList
            of={{
              "Account id": <Code>{account.id}</Code>,
              Created: <RelativeTime at={account.created_at} />,
              Store: store && <bdi>{store.name}</bdi>,
              "Store id": store && store.id !== account.id && <Code>{store.id}</Code>,
              "Your role": store?.role,
            }}
          />
        </Section>
        {manages && (
          <>
            <StoreName />
            <StoreRules />
            <NewStore />
            {store?.test && (
              <Section id="empty" title="Empty this store" text="Removes all its plants, so that you can begin anew.">
                <Group>
                  <Action label="Empty this store" kind="risky" onClick={() => setAsked("empty")} />
                </Group>
              </Section>
            )}
            <Section
              id="remove-store"
              title="Remove store"
              text="Removes the store that this page shows, for everybody."
            >
              <Group>
                <Action label="Remove this store" kind="risky" onClick={() => setAsked("store")} />
              </Group>
            </Section>
          </>
        )}
        <Section
          id="danger"
          title="Delete account"
          text="Removes your sign-in, and the stores that nobody else belongs to, at once and for good."
        >
          <Group>
            <Action label="Delete this account" kind="risky" onClick={() => setAsked("account")} />
          </Group>
        </Section>
      </Stack>
      {Asked && <Asked onClose={() => setAsked(undefined)} />}
    </>
  );
}
