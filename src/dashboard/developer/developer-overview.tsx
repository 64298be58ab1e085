import { Stack } from "@mantine/core";
import { useDeferredValue } from "react";
import { useSignal } from "../api/signal.ts";
import { useAddress } from "../browser/address.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { AttentionList } from "../overview/attention-list.tsx";
import { usageChoice, useOverview, useUsage } from "../overview/usage.ts";
import { UsageFigures } from "../overview/usage-figures.tsx";
import { UsageFilter, UsagePanel } from "../overview/usage-panel.tsx";
import { useService } from "../program/page-context.tsx";

/** Shows what programs do in the store: requests, errors and times. */
export default function DeveloperOverviewPage() {
  const overview = useOverview();
  const [search] = useAddress();
  const choice = usageChoice(search);
  const usage = useUsage(choice);
  const all = useUsage({ ...choice, token: "" }, choice.token !== "");
  // The charts are drawn after the figures, in parts, so that the page stays responsive.
  const charted = useDeferredValue(usage.data, undefined);
  const lost = useSignal(useService().connection.lost);
  return (
    <>
      <PageTitle title="Overview" text="What programs ask of this store, and how it answers." />
      <Stack gap="lg" className="wide">
        <FailureNotice cause={overview.error} retry={overview.refetch} />
        <UsageFilter choice={choice} />
        <UsageFigures
          overview={overview.data}
          usage={usage.data}
          failed={!lost && (usage.isError || overview.isError)}
          choice={choice}
        />
        <AttentionList attention={overview.data?.attention ?? []} />
        {/* Not before the list above it is known, which would move it. */}
        {(overview.data || overview.error) && (
          <UsagePanel choice={choice} query={usage} usage={charted} all={choice.token ? all.data : undefined} />
        )}
      </Stack>
    </>
  );
}
