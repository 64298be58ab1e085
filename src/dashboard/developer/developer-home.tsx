import { Redirect, useSearch } from "wouter";
import { FailureNotice } from "../components/failure-notice.tsx";
import { PageWait } from "../components/page-wait.tsx";
import { DEVELOPER } from "../program/page-addresses.ts";
import { useRequestSeen } from "./first-request.ts";

/** The quick start until a first request was seen, then the tokens. Addresses from before the sub-pages still work. */
export default function DeveloperHome() {
  const seen = useRequestSeen();
  const search = useSearch();
  const query = search ? `?${search}` : "";
  if (/(?:^|&)(?:make|token)=/.test(search)) return <Redirect to={`${DEVELOPER}/tokens${query}`} replace />;
  if (/(?:^|&)quick-start=/.test(search)) return <Redirect to={`${DEVELOPER}/quick-start`} replace />;
  if (seen.data) return <Redirect to={`${DEVELOPER}/${seen.data.seen ? "tokens" : "quick-start"}`} replace />;
  return seen.error ? <FailureNotice cause={seen.error} retry={() => seen.refetch()} /> : <PageWait />;
}
