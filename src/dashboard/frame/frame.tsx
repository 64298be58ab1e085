import { AppShell, Box, Burger, Button, Group } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import type { ReactNode } from "react";
import { UndoBar } from "../plants/undo-bar.tsx";
import { EndedSession } from "../session/ended-session.tsx";
import { ProofDialog } from "../session/proof-dialog.tsx";
import { useSessionIfAny } from "../session/session.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { Navigation } from "./navigation.tsx";

/** Name and navigation at the left, or in a bar at the top of narrow screens; the page beside it. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const session = useSessionIfAny();
  const [menu, { toggle, close }] = useDisclosure(false);
  useHotkeys([["Escape", close]]);
  return (
    <AppShell
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !menu } }}
      transitionDuration={0}
      padding={{ base: "md", sm: "xl" }}
    >
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <AppShell.Header hiddenFrom="sm" className="raised">
        <Group h="100%" px="md" justify="space-between">
          <Brand />
          <Burger opened={menu} onClick={toggle} size="sm" aria-label="Navigation" aria-expanded={menu} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages" className="raised">
        <Box p="xs" mb="sm" visibleFrom="sm">
          <Brand />
        </Box>
        <div className="navigation">
          <Navigation signedIn={session !== undefined} onChosen={close} />
        </div>
        <Box mt="auto" pt="sm">
          {session ? (
            <AccountMenu account={session.account} />
          ) : (
            <Button component="a" href="/dashboard/sign-in?back=/docs" variant="default" fullWidth>
              Sign in
            </Button>
          )}
        </Box>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className="page-title">
        <ConnectionBar />
        <div className="content">{children}</div>
      </AppShell.Main>
      <UndoBar />
      <ProofDialog />
      <EndedSession />
    </AppShell>
  );
}
