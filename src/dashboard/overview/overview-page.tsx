import { Button, Skeleton, Stack } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Link } from "wouter";
import { useRequestSeen } from "../developer/first-request.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { Icon } from "../icon.tsx";
import { PageTitle } from "../page-title.tsx";
import { AttentionList } from "./attention-list.tsx";
import { Figures } from "./figures.tsx";
import { useOverview } from "./overview.ts";
import { UsagePanel } from "./usage-panel.tsx";

const QuickStart = lazy(() =>
  import("../developer/quick-start.tsx").then(({ QuickStart }) => ({ default: QuickStart })),
);

/** On an account that nothing was sent to yet, the whole page is the quick start. */
export default function OverviewPage() {
  const seen = useRequestSeen();
  const overview = useOverview();
  const [empty, setEmpty] = useState<boolean>();
  if (empty === undefined && seen.data) setEmpty(!seen.data.seen);
  return (
    <>
      <PageTitle title="Overview">
        {empty === false && (
          <Button component={Link} href="/plants?open=add" leftSection={<Icon name="plus" />}>
            Add a plant
          </Button>
        )}
      </PageTitle>
      <Stack gap="lg">
        <FailureNotice
          cause={seen.error ?? overview.error}
          retry={() => Promise.all([seen.refetch(), overview.refetch()])}
        />
        {empty === undefined && seen.isPending && <Skeleton h={320} className="late" />}
        {empty && (
          <Suspense fallback={<Skeleton h={480} className="late" />}>
            <QuickStart first />
          </Suspense>
        )}
        {empty === false && (
          <>
            <Figures overview={overview.data} />
            <UsagePanel />
            <AttentionList attention={overview.data?.attention ?? []} />
          </>
        )}
      </Stack>
    </>
  );
}
