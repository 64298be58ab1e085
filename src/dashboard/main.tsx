import { startTransition, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { FramedPages } from "./framed-pages.tsx";
import { preloadPages } from "./later-program.ts";
import { prefetchOverview } from "./overview/usage.ts";
import { PLANTS } from "./page-addresses.ts";
import { PageContext } from "./page-context.tsx";
import { referenceQuery } from "./reference/reference-document.ts";
import { forgetSession, mayHaveSession, prefetchSession } from "./session/session.ts";
import "./main.css";

/** The program of the pages within the frame. */
const root = document.getElementById("root");

if (root) void start(root);

/**
 * The page that was built ahead stays until all is there that its program needs to show at least as much. The program
 * begins in parts, so that slow devices answer to the reader between them.
 */
async function start(root: HTMLElement): Promise<void> {
  // The build marks the document for readers of whom the service knows no session.
  if (root.dataset.reader === "signed-out") forgetSession();
  await nextTask();
  const page = new PageContext((address, init) => fetch(address, init), location.origin);
  const asked = ask(page);
  await nextTask();
  if (location.pathname !== "/dashboard") await preloadPages(page.queries);
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

/** Lets the page be used from the moment that it is the program's own. It stands first, before a field takes the focus. */
function Takeover({ root }: { readonly root: HTMLElement }) {
  useLayoutEffect(() => {
    root.inert = false;
    root.removeAttribute("aria-hidden");
  }, [root]);
  return null;
}

/** Asks for what the first page cannot be shown without, and beside it for its data. */
async function ask(page: PageContext): Promise<void> {
  const { pathname, search } = location;
  const session = pathname !== "/docs" || mayHaveSession() ? prefetchSession(page) : undefined;
  const reference = pathname === "/docs" ? page.queries.prefetchQuery(referenceQuery(page.service)) : undefined;
  if (pathname === "/dashboard") void prefetchOverview(page, new URLSearchParams(search));
  if (pathname === PLANTS) void page.service.accessToken().catch(() => {});
  await Promise.all([session, reference]);
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
