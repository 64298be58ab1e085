import { Stack } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import { useSignal } from "../api/signal.ts";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { useRequestSeen } from "../developer/first-request.ts";
import { QuickStart } from "../developer/quick-start.tsx";
import { WaysIn } from "../plants/ways-in.tsx";
import { useService } from "../program/page-context.tsx";
import { PLANTS } from "../program/pages.ts";
import { useMay } from "../session/session.ts";
import { AttentionList } from "./attention-list.tsx";
import { usageChoice, useOverview, useUsage } from "./usage.ts";
import { UsageFigures } from "./usage-figures.tsx";
import { UsageFilter, UsagePanel } from "./usage-panel.tsx";

/** A store without any request or plant shows the ways to the first one. */
export default function OverviewPage() {
  const may = useMay();
  // A page that starts before its reader's role is known may have asked in vain.
  const isAsked = may("use tokens");
  const seen = useRequestSeen();
  const [empty, setEmpty] = useState<boolean>();
  if (empty === undefined && seen.data) setEmpty(!seen.data.seen);
  return (
    <>
      <PageTitle title="Overview">
        {(empty === false || !isAsked) && may("change plants") && (
          <Action kind="main" label="Add plant" icon="plus" href={`${PLANTS}?open=add`} />
        )}
      </PageTitle>
      <FailureNotice cause={isAsked ? seen.error : null} retry={seen.refetch} />
      {empty && isAsked ? (
        <Stack>
          <WaysIn program="#quick-start-title" />
          <QuickStart first />
        </Stack>
      ) : (
        (seen.data || !seen.error || !isAsked) && <Dashboard />
      )}
    </>
  );
}

function Dashboard() {
  const may = useMay();
  const overview = useOverview();
  const [search] = useAddress();
  const choice = usageChoice(search);
  const usage = useUsage(choice);
  const all = useUsage({ ...choice, token: "" }, choice.token !== "");
  // The charts are drawn after the figures, in parts, so that the page stays responsive.
  const charted = useDeferredValue(usage.data, undefined);
  const lost = useSignal(useService().connection.lost);
  return (
    <Stack gap="lg" className="wide">
      <FailureNotice cause={overview.error} retry={overview.refetch} />
      <UsageFilter choice={choice} />
      <UsageFigures
        overview={overview.data}
        usage={usage.data}
        failed={!lost && (usage.isError || overview.isError)}
        choice={choice}
      />
      {may("read requests") && <AttentionList attention={overview.data?.attention ?? []} />}
      {/* Not before the list above it is known, which would move it. */}
      {(overview.data || overview.error) && (
        <UsagePanel choice={choice} query={usage} usage={charted} all={choice.token ? all.data : undefined} />
      )}
    </Stack>
  );
}
