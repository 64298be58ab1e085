import { FailureNotice } from "../components/failure-notice.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { PageWait } from "../components/page-wait.tsx";
import { Addresses } from "./addresses.tsx";
import { useRequestSeen } from "./first-request.ts";
import { QuickStart } from "./quick-start.tsx";

export default function QuickStartPage() {
  const seen = useRequestSeen();
  return (
    <>
      <PageTitle title="Quick start" />
      <FailureNotice cause={seen.error} retry={() => seen.refetch()} />
      {seen.isPending && <PageWait />}
      {seen.data && (
        <div className="wide beside">
          <QuickStart first={!seen.data.seen} />
          <Addresses />
        </div>
      )}
    </>
  );
}
