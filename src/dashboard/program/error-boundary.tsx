import { Box, Button, Code, Stack, Text, Title } from "@mantine/core";
import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

/** Catches a fault in a page's own program. Another page can still be opened: a new key resets the boundary. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly failure: unknown }> {
  override readonly state: { readonly failure: unknown } = { failure: undefined };

  static getDerivedStateFromError(failure: unknown) {
    return { failure: failure ?? "unknown" };
  }

  override render() {
    const { failure } = this.state;
    return failure === undefined ? this.props.children : <Fault failure={failure} />;
  }
}

function Fault({ failure }: { readonly failure: unknown }) {
  return (
    <Box p="md" maw={560}>
      <Stack role="alert" align="flex-start">
        <Title order={1}>Something went wrong on this page</Title>
        <Text>Your plants are safe, and what you typed is kept. Load the page again to go on.</Text>
        <Code>{String(failure).slice(0, 200)}</Code>
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </Stack>
    </Box>
  );
}
