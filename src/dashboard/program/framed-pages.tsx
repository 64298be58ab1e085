import { type ReactNode, useEffect } from "react";
import { type AroundNavHandler, Redirect, Route, Router, Switch, useLocation } from "wouter";
import type { Right } from "#contract/dashboard/role.ts";
import { useSignal } from "../api/signal.ts";
import { Frame } from "../frame/frame.tsx";
import OverviewPage from "../overview/overview-page.tsx";
import { useMay } from "../session/session.ts";
import { SessionGate } from "../session/session-gate.tsx";
import { inSameStore } from "../session/store.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { codeQuery, LoadedPage } from "./loaded-page.tsx";
import { usePage, useService } from "./page-context.tsx";
import { ACTIVITY, DEVELOPER, PAGES, RELEASE_NOTES } from "./pages.ts";

/** The pages within the frame. All but the reference require a session. Links between them stay in the same store. */
export function FramedPages() {
  const [path] = useLocation();
  const { queries, service } = usePage();
  useEffect(() => {
    // Once the first page is finished, so that the others are available if the connection is lost.
    const later = setTimeout(() => void queries.prefetchQuery(codeQuery(service)), 1500);
    return () => clearTimeout(later);
  }, [queries, service]);
  return (
    <Router hrefs={inSameStore} aroundNav={stayInStore}>
      <SessionGate open={path === "/docs"}>
        <Frame>
          <ErrorBoundary key={path}>
            <Switch>
              {PAGES.map(({ path, right, later }) => (
                // One request of the log, and one plant, has an address below that of its list.
                <Route key={path} path={later === "RequestsPage" || later === "PlantsPage" ? `${path}/:id?` : path}>
                  <Permitted right={right}>{later ? <LoadedPage name={later} /> : <OverviewPage />}</Permitted>
                </Route>
              ))}
              <Route path={DEVELOPER}>
                <DeveloperHome />
              </Route>
              <Route path={RELEASE_NOTES}>
                <LoadedPage name="ReleaseNotesPage" />
              </Route>
              <Route>
                <LoadedPage name="UnknownPage" />
              </Route>
            </Switch>
          </ErrorBoundary>
        </Frame>
      </SessionGate>
    </Router>
  );
}

const stayInStore: AroundNavHandler = (navigate, to, options) => navigate(inSameStore(to), options);

/** A page that the role does not have says so, as does one of a store that waits for a second factor. */
function Permitted({ right, children }: { readonly right: Right | undefined; readonly children: ReactNode }) {
  const may = useMay();
  const factorMissing = useSignal(useService().factorMissing);
  return may(right) && !(right && factorMissing) ? children : <LoadedPage name="RefusedPage" />;
}

/** The developer's pages; others have the activity. */
function DeveloperHome() {
  const may = useMay();
  return may("use tokens") ? <LoadedPage name="DeveloperHome" /> : <Redirect to={ACTIVITY} replace />;
}
