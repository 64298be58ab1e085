import { AppShell, Box, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { UndoBar } from "../plants/undo-bar.tsx";
import { EndedSession } from "../session/ended-session.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { Navigation } from "./navigation.tsx";

const CONTENT_WIDTH_MAX = 1100;

/** Name and navigation at the left, or in a bar at the top where it is narrow; the page beside it. */
export default function Frame({ children }: { readonly children: ReactNode }) {
  const [open, { toggle, close }] = useDisclosure(false);
  return (
    <AppShell
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !open } }}
      transitionDuration={0}
      padding={{ base: "md", sm: "xl" }}
    >
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <AppShell.Header hiddenFrom="sm" className="raised">
        <Group h="100%" px="md" justify="space-between">
          <Brand />
          <Burger opened={open} onClick={toggle} size="sm" aria-label="Navigation" aria-expanded={open} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages" className="raised">
        <Box p="xs" mb="md" visibleFrom="sm">
          <Brand />
        </Box>
        <Navigation onChosen={close} />
        <Box mt="auto">
          <AccountMenu />
        </Box>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className="page-title">
        <ConnectionBar />
        <Box maw={CONTENT_WIDTH_MAX}>{children}</Box>
      </AppShell.Main>
      <UndoBar />
      <EndedSession />
    </AppShell>
  );
}
