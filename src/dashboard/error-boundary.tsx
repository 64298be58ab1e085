import { Box, Button, Stack, Text, Title } from "@mantine/core";
import { Component, type ReactNode } from "react";

/** The last resort: a fault of a page, or a part of it that an update of the service has replaced meanwhile. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override readonly state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
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
}
