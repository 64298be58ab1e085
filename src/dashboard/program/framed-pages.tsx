import { useEffect } from "react";
import { Route, Switch, useLocation } from "wouter";
import { Frame } from "../frame/frame.tsx";
import OverviewPage from "../overview/overview-page.tsx";
import { SessionGate } from "../session/session-gate.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { codeQuery, LoadedPage } from "./loaded-page.tsx";
import { usePage } from "./page-context.tsx";
import { DEVELOPER, PAGES, RELEASE_NOTES } from "./pages.ts";

/** The pages within the frame. All but the reference require a session. */
export function FramedPages() {
  const [path] = useLocation();
  const { queries, service } = usePage();
  useEffect(() => {
    // Once the first page is finished, so that the others are available if the connection is lost.
    const later = setTimeout(() => void queries.prefetchQuery(codeQuery(service)), 1500);
    return () => clearTimeout(later);
  }, [queries, service]);
  return (
    <SessionGate open={path === "/docs"}>
      <Frame>
        <ErrorBoundary key={path}>
          <Switch>
            {PAGES.map(({ path, later }) => (
              // One request of the log has an address below that of the log.
              <Route key={path} path={later === "RequestsPage" ? `${path}/:id?` : path}>
                {later ? <LoadedPage name={later} /> : <OverviewPage />}
              </Route>
            ))}
            <Route path={DEVELOPER}>
              <LoadedPage name="DeveloperHome" />
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
  );
}
