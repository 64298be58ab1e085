import { Button, Stack, Text, Title } from "@mantine/core";
import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, useEffect, useRef } from "react";
import { useService } from "./page-context.tsx";
import { PageWait } from "./page-wait.tsx";
import { useSignal } from "./signal.ts";

type LaterName = keyof typeof import("./later-pages.ts");

function loadLaterPages(): Promise<Readonly<Record<LaterName, ComponentType>>> {
  return import("./later-pages.ts");
}

const codeQuery = queryOptions({
  queryKey: ["code"],
  queryFn: loadLaterPages,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
});

/** Fetches the later pages ahead, so that a lost connection does not keep the reader from them. */
export function preloadPages(queries: QueryClient): Promise<void> {
  return queries.prefetchQuery(codeQuery);
}

/**
 * True if the service still serves this version of the pages. Then the program was missed in an outage, and only a reload
 * fetches it: the browser remembers the failure (HTML Standard, module map).
 */
async function isSameVersion(): Promise<boolean> {
  const program = document.querySelector<HTMLScriptElement>("script[type=module]")?.getAttribute("src");
  const page = await fetch(location.href, { cache: "no-store" }).then(
    (answer) => answer.text(),
    () => "",
  );
  return program !== null && program !== undefined && page.includes(program);
}

const RELOADED_AT = "plantstore.reloaded-at";
const RELOAD_EVERY_MS_MIN = 30_000;

/** A program that stays out of reach, behind a filter of the network for example, must not reload the page forever. */
function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_EVERY_MS_MIN) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}

interface LoadedPageProps {
  readonly name: LaterName;
  /** Shown while it is on its way. */
  readonly wait?: ReactNode;
}

/** Shows a later page once its program is there. The frame around it stays, whatever happens to the connection. */
export function LoadedPage({ name, wait = <PageWait /> }: LoadedPageProps) {
  const { connection } = useService();
  const lost = useSignal(connection.lost);
  const code = useQuery({
    ...codeQuery,
    async queryFn() {
      try {
        return await loadLaterPages();
      } catch (cause) {
        // An outage and a file that an update has removed look the same here; asking the service tells them apart.
        await connection.retryNow();
        if (!connection.lost.get() && (await isSameVersion())) reloadOnce();
        throw cause;
      }
    },
  });
  const { refetch } = code;
  const wasLost = useRef(lost);
  useEffect(() => {
    if (wasLost.current && !lost) void refetch();
    wasLost.current = lost;
  }, [lost, refetch]);
  const Page = code.data?.[name];
  if (Page) return <Page />;
  if (!code.error) return wait;
  return lost ? <Unanswered /> : <Outdated />;
}

function Unanswered() {
  return (
    <Stack role="status" align="flex-start">
      <Title order={1}>This page could not be loaded</Title>
      <Text>Plantstore does not answer. The page opens by itself as soon as it does.</Text>
    </Stack>
  );
}

function Outdated() {
  return (
    <Stack role="alert" align="flex-start">
      <Title order={1}>Plantstore was updated</Title>
      <Text>This tab still has the version from before. Load the new one to go on. What you typed is kept.</Text>
      <Button onClick={() => location.reload()}>Load the new version</Button>
    </Stack>
  );
}
