import { Code, Stack } from "@mantine/core";
import { DetailsList } from "../components/details.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useMay, useSession } from "../session/session.ts";
import { DeleteAccount } from "./account-removals.tsx";
import { DialogSection, Section } from "./section.tsx";
import { FURTHER_STORES } from "./store-page.tsx";

const DELETE = {
  id: "danger",
  title: "Delete account",
  text: "Removes your sign-in, and the stores that nobody else belongs to, at once and for good.",
  label: "Delete this account",
  dialog: DeleteAccount,
};

export default function AccountPage() {
  const { account, stores, signup } = useSession();
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
            }}
          />
        </Section>
        {makesStores && !manages && <DialogSection {...FURTHER_STORES} />}
        <DialogSection {...DELETE} kind="risky" />
      </Stack>
    </>
  );
}
