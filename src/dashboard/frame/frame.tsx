import { Box, Burger, Group, Kbd, Stack, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import type { SessionView } from "#contract/dashboard/session.ts";
import { useSignal } from "../api/signal.ts";
import { Action } from "../components/action.tsx";
import { ConnectionBar, WarningBar } from "../components/connection-bar.tsx";
import { Icon } from "../components/icon.tsx";
import { plantsChanged } from "../plants/plant-data.ts";
import { LoadedPage } from "../program/loaded-page.tsx";
import { usePage } from "../program/page-context.tsx";
import { rightOf } from "../program/pages.ts";
import { EndedSession } from "../session/ended-session.tsx";
import { ProofDialog } from "../session/proof-dialog.tsx";
import { useMay, useSession, useSessionIfAny } from "../session/session.ts";
import { counted } from "../text/numbers.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { Navigation } from "./navigation.tsx";
import { KeysDialog, useShortcuts } from "./shortcuts.tsx";
import { StoreMenu } from "./store-menu.tsx";

/** Frames a page with bar and navigation; readers without a session see only the reference, below the bar. */
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
    <div className="frame" data-test={session?.store?.test || undefined}>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      {/* The class, which keeps it in its place while a dialog hides the scroll bar, is the library's. */}
      <Group
        component="header"
        className="right-scroll-bar-position"
        justify="space-between"
        gap={0}
        wrap="nowrap"
        inset="0 0 auto"
        h={56}
        px={signedIn ? 16 : { base: 16, sm: 32 }}
        hiddenFrom={signedIn ? "md" : undefined}
        style={{ borderBottomWidth: 1 }}
      >
        {session ? <StoreMenu session={session} /> : <Brand />}
        {signedIn ? (
          <Burger ref={burger} opened={menu} onClick={toggle} size="sm" aria-label="Navigation" aria-expanded={menu} />
        ) : (
          <Action label="Sign in" href="/dashboard/sign-in?back=/docs" outside />
        )}
      </Group>
      {session && <Pages session={session} isUnfolded={menu} onChosen={close} />}
      <Box
        component="main"
        id="content"
        tabIndex={-1}
        className="page-title"
        mih="100dvh"
        p={{ base: "72px 16px 16px", sm: "88px 32px 32px", md: signedIn ? "32px 32px 32px 264px" : "88px 32px 32px" }}
      >
        <div className="content">
          {session?.store?.test && <TestBar />}
          {children}
        </div>
      </Box>
      <div className="bars">
        <ImportBar />
        <ConnectionBar />
        <div role="status">
          <UndoBar />
        </div>
      </div>
      {paletteOpen && <LoadedPage name="CommandPalette" wait={null} />}
      {keys && <KeysDialog onClose={hideKeys} />}
      <ProofDialog />
      <EndedSession />
    </div>
  );
}

const TEST_BORDER = { borderLeft: "4px solid var(--mantine-color-yellow-filled)" };

interface PagesProps {
  readonly session: SessionView;
  /** True if narrow windows show it too, in place of the page. */
  readonly isUnfolded: boolean;
  readonly onChosen: () => void;
}

function Pages({ session, isUnfolded, onChosen }: PagesProps) {
  const { palette } = usePage();
  return (
    <Stack
      component="nav"
      aria-label="Pages"
      gap={0}
      p={12}
      inset={{ base: "3.5rem 0 0", md: "0 auto 0 0" }}
      w={{ md: 232 }}
      visibleFrom={isUnfolded ? undefined : "md"}
      style={{ borderRightWidth: isUnfolded ? 0 : 1 }}
    >
      <Box px={6} py="xs" mb="sm" visibleFrom="md">
        <StoreMenu session={session} />
      </Box>
      <UnstyledButton
        mih={34}
        px={10}
        py={4}
        mb={10}
        fz="sm"
        c="dimmed"
        bg="var(--plantstore-ground)"
        bd="1px solid var(--plantstore-line)"
        bdrs="md"
        onClick={() => palette.set(true)}
      >
        <Group gap={8} wrap="nowrap">
          <Icon name="search" size={16} /> <span className="cut">Search…</span>{" "}
          <Kbd size="xs" visibleFrom="md" ml="auto" flex="none">
            Ctrl K
          </Kbd>
        </Group>
      </UnstyledButton>
      <Box mih={0} style={{ overflowY: "auto" }}>
        <Navigation onChosen={onChosen} />
      </Box>
      <Box mt="auto" pt="sm">
        <AccountMenu session={session} />
      </Box>
    </Stack>
  );
}

/** Part of the later pages, like the dialog in which an import is begun. */
function ImportBar() {
  const { name } = useSignal(usePage().importStep);
  const isShown = name === "running" || name === "done";
  return isShown && <LoadedPage name="ImportBar" wait={null} />;
}

function UndoBar() {
  const { removals, tagChange, leftDraft } = usePage();
  const removal = useSignal(removals.current);
  const left = useSignal(leftDraft);
  const tagged = useSignal(tagChange);
  return (removal || tagged || left) && <LoadedPage name="UndoBar" wait={null} />;
}

/** Marks a test store, and counts down while it is being emptied. */
function TestBar() {
  const { store } = useSession();
  const queries = useQueryClient();
  const left = store?.emptying?.left;
  useEffect(() => {
    if (left !== undefined) return () => void plantsChanged(queries);
  }, [left, queries]);
  return (
    <WarningBar gap={8} py={4} fz="sm" bdrs="sm" wrap="nowrap" className="breaks" style={TEST_BORDER}>
      <strong>Test</strong> <bdi translate="no">{store?.name}</bdi>
      {left !== undefined && <span>is being emptied: {counted(left, "plant")} left</span>}
    </WarningBar>
  );
}
