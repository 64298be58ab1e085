import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Route, Router, Switch } from "wouter";
import { Announcer } from "./announcer.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { FramedPages } from "./framed-pages.tsx";
import { PageWait } from "./page-wait.tsx";
import { queries } from "./queries.ts";
import { theme } from "./theme/theme.ts";
import { variables } from "./theme/variables.ts";

const SignInPage = lazy(() => import("./sign-in/sign-in-page.tsx"));
const WelcomePage = lazy(() => import("./welcome/welcome-page.tsx"));

/** The table of contents: every address of the dashboard. */
export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <ErrorBoundary>
          <Router base="/dashboard">
            <Suspense fallback={<PageWait />}>
              <Switch>
                <Route path="/sign-in" component={SignInPage} />
                <Route path="/welcome" component={WelcomePage} />
                <Route component={FramedPages} />
              </Switch>
            </Suspense>
          </Router>
        </ErrorBoundary>
        <Announcer />
      </QueryClientProvider>
    </MantineProvider>
  );
}
