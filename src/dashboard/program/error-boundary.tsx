import { Box, Button, Code, Stack, Text, Title } from "@mantine/core";
import { Component, type ReactNode } from "react";

/** Catches a fault in a page's own program. Another page can still be opened: a new key resets the boundary. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly failure: unknown }> {
  override readonly state: { readonly failure: unknown } = { failure: undefined };

  static getDerivedStateFromError(failure: unknown) {
    return { failure: failure ?? "unknown" };
  }

  override render() {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    const said = "Your plants are safe, and what you typed is kept. Load the page again to go on.";
    return (
      <Box p="md" maw={560}>
        <PageNotice title="Something went wrong on this page" text={said} reload="Load the page again">
          <Code>{String(failure).slice(0, 200)}</Code>
        </PageNotice>
      </Box>
    );
  }
}

interface PageNoticeProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
  /** The label of the button that loads the page again. Without it the page goes on by itself. */
  readonly reload?: string;
}

export function PageNotice({ title, text, children, reload }: PageNoticeProps) {
  return (
    <Stack role={reload ? "alert" : "status"} align="flex-start">
      <Title order={1}>{title}</Title>
      <Text>{text}</Text>
      {children}
      {reload && <Button onClick={() => location.reload()}>{reload}</Button>}
    </Stack>
  );
}
