import { startTransition, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { joinPastedLines } from "../browser/pasted-lines.ts";
import { guardTranslatedTexts } from "../browser/translated-texts.ts";
import { prefetchOverview } from "../overview/usage.ts";
import { prefetchPlants } from "../plants/plants-list.ts";
import { referenceQuery } from "../reference/openapi.ts";
import { sessionQuery } from "../session/session.ts";
import { forgetSession, mayHaveRight, mayHaveSession } from "../session/session-hint.ts";
import { chosenStore, nameStore } from "../session/store.ts";
import { formatNumber } from "../text/numbers.ts";
import { App } from "./app.tsx";
import { FramedPages } from "./framed-pages.tsx";
import { codeQuery } from "./loaded-page.tsx";
import { PageContext } from "./page-context.tsx";
import { PLANTS } from "./pages.ts";
import "./main.css";

guardTranslatedTexts();
joinPastedLines();

const root = document.getElementById("root");

if (root) void start(root);

/**
 * The prerendered page stays until the program has everything that it needs to show at least as much. The program starts
 * in several tasks, so that a slow device can respond to the reader between them.
 */
async function start(root: HTMLElement): Promise<void> {
  // The build marks the document that the service sends to readers who are not signed in.
  if (root.dataset.reader === "signed-out") forgetSession();
  await nextTask();
  const page = new PageContext(
    (address, init) => fetch(address, init),
    location.origin,
    (options) => new PlantstoreClient(options),
  );
  const asked = ask(page);
  await nextTask();
  // The first use of any formatter makes the browser read its locales, for which the service's answers leave the time.
  formatNumber(0);
  await nextTask();
  if (location.pathname !== "/dashboard") await page.queries.prefetchQuery(codeQuery(page.service));
  await asked;
  startTransition(() =>
    createRoot(root).render(
      <>
        <Takeover root={root} />
        <App page={page}>
          <FramedPages />
        </App>
      </>,
    ),
  );
}

/** Until then the placeholders of the prerendered page stay without a pause, as the program's own take their place. */
const FIRST_PAGE_MS = 5000;

/** Makes the page usable once it is rendered. It comes first, since a field may take the focus at once. */
function Takeover({ root }: { readonly root: HTMLElement }) {
  useLayoutEffect(() => {
    root.inert = false;
    root.removeAttribute("aria-hidden");
    const settled = setTimeout(() => root.removeAttribute("data-first-page"), FIRST_PAGE_MS);
    return () => clearTimeout(settled);
  }, [root]);
  return null;
}

/** Requests the session, without which the first page cannot be shown, and at the same time the data of the page. */
async function ask(page: PageContext): Promise<void> {
  const { pathname } = location;
  const { queries, service } = page;
  service.store = chosenStore();
  const session = pathname !== "/docs" || mayHaveSession() ? queries.prefetchQuery(sessionQuery(service)) : undefined;
  const reference = pathname === "/docs" ? queries.prefetchQuery(referenceQuery(service)) : undefined;
  if (pathname === "/dashboard" && mayHaveRight("read figures")) void prefetchOverview(page);
  if (pathname === PLANTS && mayHaveRight("read plants")) {
    const search = new URLSearchParams(location.search);
    if (search.get("show") !== "removed") void prefetchPlants(page, search);
  }
  await Promise.all([session, reference]);
  const known = queries.getQueryData<SessionView>(sessionQuery(service).queryKey);
  if (known) nameStore(known);
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
