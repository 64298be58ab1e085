import { Box, Burger, Group, Kbd, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useRef } from "react";
import { useLocation } from "wouter";
import { useSignal } from "../api/signal.ts";
import { Action } from "../components/action.tsx";
import { ConnectionBar } from "../components/connection-bar.tsx";
import { Icon } from "../components/icon.tsx";
import { UndoBar } from "../plants/undo-bar.tsx";
import { LoadedPage } from "../program/loaded-page.tsx";
import { usePage } from "../program/page-context.tsx";
import { rightOf } from "../program/pages.ts";
import { EndedSession } from "../session/ended-session.tsx";
import { ProofDialog } from "../session/proof-dialog.tsx";
import { useMay, useSessionIfAny } from "../session/session.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Navigation } from "./navigation.tsx";
import { KeysDialog, useShortcuts } from "./shortcuts.tsx";

/**
 * The name and the navigation at the left, or in a bar at the top of narrow screens, and the page beside them. Without
 * a session only the reference is shown here; it has its own table of contents and needs only the bar.
 */
export function Frame({ children }: { readonly children: ReactNode }) {
  const session = useSessionIfAny();
  const [menu, { toggle, close }] = useDisclosure(false);
  const [keys, { open: showKeys, close: hideKeys }] = useDisclosure(false);
  const [, navigate] = useLocation();
  const burger = useRef<HTMLButtonElement>(null);
  const { palette } = usePage();
  const paletteOpen = useSignal(palette);
  const signedIn = session !== undefined;
  const may = useMay();
  useShortcuts((shortcut) => {
    if (shortcut === "palette") palette.set(signedIn);
    // Keys typed for the palette while its program is still on its way are no shortcuts, except the one that closes it.
    if (paletteOpen) {
      if (shortcut === "close-menu") palette.set(false);
      return;
    }
    if (shortcut === "keys") showKeys();
    if (shortcut.startsWith("/") && signedIn && may(rightOf(shortcut))) navigate(shortcut);
    if (shortcut === "close-menu" && menu) {
      close();
      burger.current?.focus();
    }
  });
  return (
    <div className="frame" data-signed-in={signedIn || undefined} data-test={session?.store?.test || undefined}>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <header className="raised right-scroll-bar-position">
        <Brand />
        {signedIn ? (
          <Burger ref={burger} opened={menu} onClick={toggle} size="sm" aria-label="Navigation" aria-expanded={menu} />
        ) : (
          <Action label="Sign in" href="/dashboard/sign-in?back=/docs" outside />
        )}
      </header>
      {session && (
        <nav aria-label="Pages" className="raised" data-closed={!menu || undefined}>
          <Box p="xs" mb="sm" visibleFrom="md">
            <Brand />
          </Box>
          <UnstyledButton className="palette-button" onClick={() => palette.set(true)}>
            <Icon name="search" size={16} /> <span className="cut">Search…</span>{" "}
            <Kbd size="xs" visibleFrom="md">
              Ctrl K
            </Kbd>
          </UnstyledButton>
          <Box mih={0} style={{ overflowY: "auto" }}>
            <Navigation onChosen={close} />
          </Box>
          <Box mt="auto" pt="sm">
            <AccountMenu session={session} />
          </Box>
        </nav>
      )}
      <main id="content" tabIndex={-1} className="page-title">
        <div className="content">
          {session?.store?.test && (
            <Text size="sm" className="test-bar">
              <strong>Test</strong> <bdi>{session.store.name}</bdi>
            </Text>
          )}
          <ConnectionBar />
          {children}
        </div>
      </main>
      <div className="bars">
        <ImportBar />
        <UndoBar />
      </div>
      {paletteOpen && <LoadedPage name="CommandPalette" wait={null} />}
      {keys && <KeysDialog onClose={hideKeys} />}
      <ProofDialog />
      <EndedSession />
    </div>
  );
}

/** Part of the later pages, like the dialog in which an import is begun. */
function ImportBar() {
  const { name } = useSignal(usePage().importStep);
  const isShown = name === "preparing" || name === "running" || name === "done";
  return isShown && <LoadedPage name="ImportBar" wait={null} />;
}

function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <span className="brand-icon" />
      <Text fw={650} size="lg">
        Plantstore
      </Text>
    </Group>
  );
}
