import { MantineProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { Announcer } from "../components/announcer.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { type PageContext, PageContextProvider } from "./page-context.tsx";
import { theme } from "./theme.ts";

/** The surroundings of every page: the theme, whose variables are in the style sheets, the page's context, and the error boundary. */
export function App({ page, children }: { readonly page: PageContext; readonly children: ReactNode }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <PageContextProvider page={page}>
        <ErrorBoundary>{children}</ErrorBoundary>
        <Announcer />
      </PageContextProvider>
    </MantineProvider>
  );
}
