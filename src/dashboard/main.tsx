import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { FramedPages } from "./framed-pages.tsx";
import { prefetchOverview } from "./overview/usage.ts";
import { PageContext } from "./page-context.tsx";
import { prefetchSession } from "./session/session.ts";
import "./main.css";

/** The program of the pages within the frame. */
const root = document.getElementById("root");
const page = new PageContext((address, init) => fetch(address, init), location.origin);

if (root) {
  // As a transition, so that slow devices respond to the reader between its parts.
  startTransition(() =>
    createRoot(root).render(
      <App page={page}>
        <FramedPages />
      </App>,
    ),
  );
  // Started together with the session. Without a session these requests are refused, and the sign-in follows.
  if (location.pathname !== "/docs") void prefetchSession(page);
  if (location.pathname === "/dashboard") void prefetchOverview(page, new URLSearchParams(location.search));
}
