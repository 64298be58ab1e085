import { Code, Stack } from "@mantine/core";
import { DetailsList } from "../components/details.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useMay, useSession } from "../session/session.ts";
import { DeleteAccount, EmptyStore, RemoveStore } from "./account-removals.tsx";
import { DialogSection, Section } from "./section.tsx";
import { NewStore, StoreName, StoreRules } from "./store-sections.tsx";

const STORES = {
  id: "stores",
  title: "Further stores",
  text: "Each store has its own plants, tokens, people and logs. A test store is marked on every page.",
  label: "New store",
  dialog: NewStore,
};
const EMPTY = {
  id: "empty",
  title: "Empty this store",
  text: "Removes all its plants, so that you can begin anew.",
  label: "Empty this store",
  dialog: EmptyStore,
};
const REMOVE = {
  id: "remove-store",
  title: "Remove store",
  text: "Removes the store that this page shows, for everybody.",
  label: "Remove this store",
  dialog: RemoveStore,
};
const DELETE = {
  id: "danger",
  title: "Delete account",
  text: "Removes your sign-in, and the stores that nobody else belongs to, at once and for good.",
  label: "Delete this account",
  dialog: DeleteAccount,
};

export default function AccountPage() {
  const { account, store, stores, signup } = useSession();
  const manages = useMay()("manage store");
  const makesStores = stores.length === 0 ? signup === "open" : stores.some(({ role }) => role === "owner");
  return (
    <>
      <PageTitle title="Account" />
      <Stack gap="lg">
        <Section id="account" title="About">
          <DetailsList
            of={{
              "Account id": <Code>{account.id}</Code>,
              Created: <RelativeTime at={account.created_at} />,
              Store: store && <bdi translate="no">{store.name}</bdi>,
              "Store id": store && <Code>{store.id}</Code>,
              "Your role": store?.role,
            }}
          />
        </Section>
        {makesStores && <DialogSection {...STORES} />}
        {manages && (
          <>
            <StoreName />
            <StoreRules />
            {store?.test && <DialogSection {...EMPTY} kind="risky" />}
            <DialogSection {...REMOVE} kind="risky" />
          </>
        )}
        <DialogSection {...DELETE} kind="risky" />
      </Stack>
    </>
  );
}
