import { queryOptions, useQuery } from "@tanstack/react-query";
import { type ComponentProps, type ComponentType, type ReactNode, useEffect, useRef } from "react";
import type { ServiceClient } from "../api/service-client.ts";
import { useSignal } from "../api/signal.ts";
import { PageWait } from "../components/page-title.tsx";
import { PageNotice } from "./error-boundary.tsx";
import { useService } from "./page-context.tsx";

type LaterName = keyof typeof import("./later-pages.ts");
type LaterPages = Readonly<Record<LaterName, ComponentType>>;

function loadLaterPages(): Promise<LaterPages> {
  return import("./later-pages.ts");
}

/** The pages that the service serves now: those of this tab, those of an update, or none, as during an outage. */
type Served = "same" | "updated" | "none";

class ProgramMissing extends Error {
  constructor(readonly served: Served) {
    super("The program of this page could not be loaded");
  }
}

/** The program of the later pages, which stays in memory for as long as the document is open. */
export function codeQuery(service: ServiceClient, load = loadLaterPages) {
  return queryOptions<LaterPages, ProgramMissing>({
    queryKey: ["code"],
    queryFn: () =>
      load().catch(async () => {
        throw new ProgramMissing(await servedNow(service));
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}

/**
 * An outage and a file that an update has removed look the same to a program; a request for this page tells them apart. A
 * proxy also answers for a service that is down, so an answer that is not a page does not mean an update.
 */
async function servedNow({ connection, send }: ServiceClient): Promise<Served> {
  await connection.retryNow();
  if (connection.lost.get()) return "none";
  const answer = await send(location.pathname, { cache: "no-store" }).catch(() => undefined);
  const page = answer?.ok && (await answer.text().catch(() => undefined));
  if (!page) {
    connection.reportLost();
    return "none";
  }
  const program = document.querySelector<HTMLScriptElement>("script[type=module]:not([async])")?.getAttribute("src");
  return program && page.includes(program) ? "same" : "updated";
}

const RELOADED_AT = "plantstore.reloaded-at";

/** Reloads at most once in 30 s, because a program behind a network filter may stay out of reach. */
function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < 30_000) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}

const NOTICES: Readonly<Record<Served, ComponentProps<typeof PageNotice>>> = {
  none: {
    title: "This page could not be loaded",
    text: "Plantstore does not answer. The page opens by itself as soon as it does.",
  },
  updated: {
    title: "Plantstore was updated",
    text: "This tab still has the version from before. Load the new one to go on. What you typed is kept.",
    reload: "Load the new version",
  },
  same: {
    title: "This page could not be loaded",
    text: "Plantstore answers, but the program of this page did not arrive. Load the page again to go on.",
    reload: "Load the page again",
  },
};

interface LoadedPageProps {
  readonly name: LaterName;
  readonly load?: typeof loadLaterPages;
  readonly wait?: ReactNode;
}

/** Shows a later page once its program is loaded. The frame around it stays, whatever happens to the connection. */
export function LoadedPage({ name, load, wait = <PageWait /> }: LoadedPageProps) {
  const service = useService();
  const lost = useSignal(service.connection.lost);
  const { data, error, refetch } = useQuery(codeQuery(service, load));
  const served = error?.served;
  const wasLost = useRef(lost);
  useEffect(() => {
    if (wasLost.current && !lost) void refetch();
    wasLost.current = lost;
  }, [lost, refetch]);
  useEffect(() => {
    // The program failed to load during an outage. The browser remembers the failure (HTML Standard, module map), so only
    // a reload fetches it.
    if (served === "same") reloadOnce();
  }, [served]);
  const Page = data?.[name];
  if (Page) return <Page />;
  if (!served) return wait;
  return <PageNotice {...NOTICES[lost ? "none" : served]} />;
}
