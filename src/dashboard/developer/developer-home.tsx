import { Anchor } from "@mantine/core";
import { Redirect, useSearch } from "wouter";
import { Answered } from "../components/answered.tsx";
import { CopiedCode } from "../components/copy-button.tsx";
import { DetailsList } from "../components/details.tsx";
import { PageLink } from "../components/page-link.tsx";
import { PageTitle, PageWait, Panel } from "../components/page-title.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { useRequestSeen } from "./first-request.ts";
import { QuickStart } from "./quick-start.tsx";

/** The quick start until a first request was seen, then the overview. Addresses from before the sub-pages still work. */
export default function DeveloperHome() {
  const seen = useRequestSeen();
  const search = useSearch();
  // A store with plants may have had its first request since.
  const isCurrent = seen.data?.requested || seen.isFetchedAfterMount;
  if (/(?:^|&)(?:make|token)=/.test(search)) return <Redirect to={`${DEVELOPER}/tokens?${search}`} replace />;
  if (/(?:^|&)quick-start=/.test(search)) return <Redirect to={`${DEVELOPER}/quick-start`} replace />;
  return (
    <Answered query={seen} data={isCurrent ? seen.data : undefined} shape={<PageWait />}>
      {({ requested }) => <Redirect to={`${DEVELOPER}/${requested ? "overview" : "quick-start"}`} replace />}
    </Answered>
  );
}

export function QuickStartPage() {
  return (
    <>
      <PageTitle title="Quick start" />
      <div className="wide beside">
        <QuickStart />
        <Addresses />
      </div>
    </>
  );
}

function Addresses() {
  const { base_url, versions } = useSession();
  return (
    <Panel id="addresses" title="Addresses">
      <DetailsList
        of={{
          "Base address": <CopiedCode value={`${base_url}/${versions.segment}`} what="base address" />,
          "API version": `${versions.interface}, at /${versions.segment}`,
          Plantstore: `version ${versions.service}`,
          Reference: <PageLink href="/docs">Every request, answer and error</PageLink>,
          OpenAPI: <Anchor href="/openapi.json">openapi.json</Anchor>,
        }}
      />
    </Panel>
  );
}
