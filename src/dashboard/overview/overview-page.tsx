import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Redirect } from "wouter";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { PageLink } from "../components/page-link.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { useRequestSeen } from "../developer/first-request.ts";
import { WaysIn } from "../plants/ways-in.tsx";
import { codeQuery } from "../program/loaded-page.tsx";
import { useService } from "../program/page-context.tsx";
import { DEVELOPER, PLANTS } from "../program/pages.ts";
import { useMay } from "../session/session.ts";
import { counted, formatNumber } from "../text/numbers.ts";
import { RecentChanges } from "./recent-changes.tsx";
import { TagCounts } from "./tag-counts.tsx";
import { useOverview } from "./usage.ts";

/** Shows what is new among the plants, or the ways to the first plant. */
export default function OverviewPage() {
  const may = useMay();
  // A page that starts before its reader's role is known may have asked in vain.
  const isAsked = may("use tokens");
  const seen = useRequestSeen();
  const overview = useOverview();
  const [empty, setEmpty] = useState<boolean>();
  if (empty === undefined && isAsked && seen.data) setEmpty(!seen.data.seen);
  if (empty === undefined && !isAsked && overview.data) setEmpty(overview.data.plants === 0);
  const adds = may("change plants");
  const [search] = useAddress();
  // The figures of requests have moved, and older links lead to them still.
  if (search.has("range") && may("read requests")) return <Redirect to={`${DEVELOPER}/overview?${search}`} replace />;
  return (
    <>
      <PageTitle title="Overview">
        {(empty === false || !isAsked) && adds && (
          <Action kind="main" label="Add plant" icon="plus" href={`${PLANTS}?open=add`} />
        )}
      </PageTitle>
      <FailureNotice cause={isAsked ? seen.error : null} retry={seen.refetch} />
      {empty && adds ? (
        <WaysIn program={`${DEVELOPER}/quick-start`} />
      ) : (
        (seen.data || !seen.error || !isAsked) && <Plants />
      )}
    </>
  );
}

function Plants() {
  const overview = useOverview();
  const plants = overview.data?.plants;
  return (
    <Stack gap="lg" className="wide">
      <FailureNotice cause={overview.error} retry={overview.refetch} />
      <Text fz={28} fw={600} lh={1.3} mih={36}>
        {plants !== undefined && (
          <PageLink href={PLANTS} c="inherit" underline="hover" fz="inherit">
            {counted(plants, "plant")}
          </PageLink>
        )}
      </Text>
      <div className="overview-columns">
        <Stack gap="lg">
          <RecentChanges />
          <LastImports />
        </Stack>
        <TagCounts />
      </div>
      <Programs />
    </Stack>
  );
}

/** The imports stand below the first window, so they come with the program of the later pages, which is loaded ahead. */
function LastImports() {
  const List = useQuery({ ...codeQuery(useService()), enabled: false }).data?.LastImports;
  return List && <List />;
}

/** The line that leads to what programs do. */
function Programs() {
  const may = useMay();
  const { errors_today, attention = [] } = useOverview().data ?? {};
  if (!may("read requests") || errors_today === undefined) return null;
  const refused =
    errors_today === 0 ? "No request was refused today" : `${counted(errors_today, "request")} refused today`;
  const needed = attention.length === 0 ? "" : `, ${formatNumber(attention.length)} to look at`;
  return (
    <Text variant="remark">
      Programs: {refused}
      {needed}. <PageLink href={`${DEVELOPER}/overview`}>Requests and errors</PageLink>
    </Text>
  );
}
