import { Button, Skeleton, Stack } from "@mantine/core";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { FailureNotice } from "../failure-notice.tsx";
import { Icon } from "../icon.tsx";
import { PageTitle } from "../page-title.tsx";
import { AddressesPanel } from "./addresses-panel.tsx";
import { CreateTokenDialog } from "./create-token-dialog.tsx";
import { ErrorsPanel } from "./errors-panel.tsx";
import { useRequestSeen } from "./first-request.ts";
import { useOpenToken } from "./open-token.ts";
import { QuickStart } from "./quick-start.tsx";
import { TokenDialogs } from "./token-dialogs.tsx";
import { useTokens } from "./tokens.ts";
import { TokensPanel } from "./tokens-panel.tsx";

export default function DeveloperPage() {
  const { quickStart, seen, show } = useQuickStart();
  const { id, action, making, open, make, close } = useOpenToken();
  const tokens = useTokens();
  return (
    <>
      <PageTitle title="Developer">
        {quickStart === false && (
          <Button variant="subtle" onClick={show}>
            Show the quick start
          </Button>
        )}
        {quickStart === false && (
          <Button leftSection={<Icon name="plus" />} onClick={make}>
            Make a token
          </Button>
        )}
      </PageTitle>
      <Stack gap="lg">
        <FailureNotice cause={seen.error} retry={() => seen.refetch()} />
        {quickStart === undefined && seen.isPending && <Skeleton h={280} className="late" />}
        {quickStart && <QuickStart first={seen.data?.seen === false} />}
        <TokensPanel onAction={open} onMake={quickStart ? undefined : make} />
        <AddressesPanel />
        <ErrorsPanel />
      </Stack>
      {!quickStart && <CreateTokenDialog opened={making} onClose={close} />}
      <TokenDialogs
        token={tokens.data?.find((token) => token.id === id)}
        action={action}
        onAction={open}
        onClose={close}
      />
    </>
  );
}

/** Shown until a first request was seen, and then for as long as the page stays open; or when it is asked for. */
function useQuickStart() {
  const seen = useRequestSeen();
  const [search, setSearch] = useSearchParams();
  const [needed, setNeeded] = useState<boolean>();
  if (needed === undefined && seen.data) setNeeded(!seen.data.seen);
  const asked = search.has("quick-start");
  const show = () => setSearch({ "quick-start": "" });
  return { quickStart: asked || needed, seen, show };
}
