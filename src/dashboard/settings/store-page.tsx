import { Code, Stack } from "@mantine/core";
import { DetailsList } from "../components/details.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { useSession } from "../session/session.ts";
import { capitalized } from "../text/sentence.ts";
import { EmptyStore, RemoveStore } from "./account-removals.tsx";
import { DialogSection, Section } from "./section.tsx";
import { NewStore, StoreName, StoreRules } from "./store-sections.tsx";

export const FURTHER_STORES = {
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
/** All that belongs to the store, for its owners. */
export default function StorePage() {
  const { store } = useSession();
  return (
    <>
      <PageTitle title="Store" />
      <Stack gap="lg">
        <StoreName />
        <StoreRules />
        <DialogSection {...FURTHER_STORES} />
        <Section id="about-store" title="About">
          <DetailsList
            of={{ "Store id": store && <Code>{store.id}</Code>, "Your role": store && capitalized(store.role) }}
          />
        </Section>
        {store?.test && <DialogSection {...EMPTY} kind="risky" />}
        <DialogSection {...REMOVE} kind="risky" />
      </Stack>
    </>
  );
}
