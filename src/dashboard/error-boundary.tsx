import { Box, Button, Stack, Text, Title } from "@mantine/core";
import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** What is shown in place of what failed; without it, that the page cannot go on. */
  readonly fallback?: ReactNode;
}

/** The last resort: a fault of a page, or a part of it that an update of the service has replaced meanwhile. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly failed: boolean }> {
  override readonly state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    const { children, fallback = <PageFailure /> } = this.props;
    return this.state.failed ? fallback : children;
  }
}

function PageFailure() {
  return (
    <Box component="main" p="xl" maw={560} mx="auto">
      <Stack role="alert" align="flex-start">
        <Title order={1}>This page cannot go on</Title>
        <Text>The service may have been updated since it was opened. Load it again; what you typed is kept.</Text>
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </Stack>
    </Box>
  );
}
