import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { PageWait } from "./page-wait.tsx";
import { SessionGate } from "./session/session-gate.tsx";

const Frame = lazy(() => import("./frame/frame.tsx"));
const OverviewPage = lazy(() => import("./overview/overview-page.tsx"));
const PlantsPage = lazy(() => import("./plants/plants-page.tsx"));
const DeveloperPage = lazy(() => import("./developer/developer-page.tsx"));
const SettingsPage = lazy(() => import("./settings/settings-page.tsx"));
const UnknownPage = lazy(() => import("./unknown-page.tsx"));

/** The pages for who is signed in. */
export function FramedPages() {
  return (
    <SessionGate>
      <Frame>
        <Suspense fallback={<PageWait />}>
          <Switch>
            <Route path="/" component={OverviewPage} />
            <Route path="/plants" component={PlantsPage} />
            <Route path="/developer" component={DeveloperPage} />
            <Route path="/settings" component={SettingsPage} />
            <Route component={UnknownPage} />
          </Switch>
        </Suspense>
      </Frame>
    </SessionGate>
  );
}
