import { Button, Stack } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import { Link } from "wouter";
import { useSignal } from "../api/signal.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { useRequestSeen } from "../developer/first-request.ts";
import { QuickStart } from "../developer/quick-start.tsx";
import { useService } from "../program/page-context.tsx";
import { AttentionList } from "./attention-list.tsx";
import { useOverview, useUsage, useUsageAddress } from "./usage.ts";
import { UsageFigures } from "./usage-figures.tsx";
import { UsagePanel } from "./usage-panel.tsx";

/** On an account without any request, the quick start takes the whole page. */
export default function OverviewPage() {
  const seen = useRequestSeen();
  const [empty, setEmpty] = useState<boolean>();
  if (empty === undefined && seen.data) setEmpty(!seen.data.seen);
  return (
    <>
      <PageTitle title="Overview">
        {empty === false && (
          <Button component={Link} href="/dashboard/plants?open=add" leftSection={<Icon name="plus" />}>
            Add plant
          </Button>
        )}
      </PageTitle>
      <FailureNotice cause={seen.error} retry={() => seen.refetch()} />
      {empty ? <QuickStart first /> : (seen.data || !seen.error) && <Dashboard />}
    </>
  );
}

function Dashboard() {
  const overview = useOverview();
  const { address, change } = useUsageAddress();
  const usage = useUsage(address);
  // The charts are drawn after the figures, in parts, so that the page stays responsive.
  const charted = useDeferredValue(usage.data, undefined);
  const lost = useSignal(useService().connection.lost);
  const failed = !lost && (usage.isError || overview.isError);
  const [first, last] = [usage.data?.buckets[0], usage.data?.buckets.at(-1)];
  const requests = new URLSearchParams(first && last ? { from: first.start, to: last.end } : {});
  if (address.token) requests.set("token", address.token);
  return (
    <Stack gap="lg" className="wide">
      <FailureNotice cause={overview.error} retry={() => overview.refetch()} />
      <UsageFigures overview={overview.data} usage={usage.data} failed={failed} requests={String(requests)} />
      <AttentionList attention={overview.data?.attention ?? []} />
      {/* Not before the list above it is known, which would move it. */}
      {(overview.data || overview.error) && (
        <UsagePanel address={address} onChange={change} usage={charted} failure={usage.error} />
      )}
    </Stack>
  );
}
