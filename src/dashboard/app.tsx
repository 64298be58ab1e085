import { MantineProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { Announcer } from "./announcer.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { type PageContext, PageContextProvider } from "./page-context.tsx";
import { theme } from "./theme/theme.ts";
import { variables } from "./theme/variables.ts";

interface AppProps {
  readonly page: PageContext;
  readonly children: ReactNode;
}

/** The surroundings of every page: the theme, the page's context, and the error boundary. */
export function App({ page, children }: AppProps) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <PageContextProvider page={page}>
        <ErrorBoundary>{children}</ErrorBoundary>
        <Announcer />
      </PageContextProvider>
    </MantineProvider>
  );
}
