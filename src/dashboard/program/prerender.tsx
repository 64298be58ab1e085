import { MantineProvider } from "@mantine/core";
import { renderToString } from "react-dom/server";
import { Router } from "wouter";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { type OpenApiDocument, referenceQuery } from "../reference/openapi.ts";
import { keepSession } from "../session/session.ts";
import { App } from "./app.tsx";
import { FramedPages } from "./framed-pages.tsx";
import * as laterPages from "./later-pages.ts";
import { codeQuery } from "./loaded-page.tsx";
import { PageContext } from "./page-context.tsx";
import { PAGES } from "./pages.ts";
import * as rarePages from "./rare-pages.tsx";
import { theme, variables } from "./theme.ts";

interface PrerenderOptions {
  readonly path: string;
  readonly signedIn: boolean;
  readonly reference: OpenApiDocument;
}

/** A placeholder: no page shows an address before its data has arrived. */
const NOWHERE = "http://127.0.0.1";
/** A placeholder, so that the frame shows an empty name for the account, and every page. */
const NO_SESSION: Parameters<typeof keepSession>[1] = {
  account: {
    id: "",
    email: "",
    name: "",
    created_at: "",
    two_factor: false,
    email_verified: false,
    has_password: true,
  },
  store: { id: "", name: "", role: "owner", test: false, second_factor_required: false },
  stores: [],
  base_url: "",
  signup: "closed",
  mail: false,
  provider: null,
  proof: null,
  versions: { service: "", interface: "", segment: "v1" },
};

/** Built without content: pages of the account alone, and those that are loaded when they are opened. */
const WITHOUT_CONTENT = new Set(["QuickStartPage", ...Object.keys(rarePages)]);

/** The names of fields. They are removed, so that no program finds a field by its name before the field can be used. */
const NAMES = / (?:aria-label|aria-labelledby|for)="[^"]*"/g;
const HOISTED_TITLE = /<title>([^<]*)<\/title>/;

/** A page as it is before its data has arrived, so that it is painted from its HTML while its program loads. */
export function prerender({ path, signedIn, reference }: PrerenderOptions) {
  withoutBrowser(path);
  const send = () => Promise.reject(new Error("Nothing is asked for in a build"));
  const page = new PageContext(send, NOWHERE, (options) => new PlantstoreClient(options));
  if (signedIn) keepSession(page.queries, NO_SESSION);
  const known = PAGES.find((each) => each.path === path);
  const ready = Object.entries(laterPages).filter(([name]) => name === known?.later && !WITHOUT_CONTENT.has(name));
  // A build cannot wait for a fetch.
  page.queries.setQueryData<unknown>(codeQuery(page.service).queryKey, Object.fromEntries(ready));
  page.queries.setQueryData(referenceQuery(page.service).queryKey, reference);
  const html = renderToString(
    <Router ssrPath={path}>
      <App page={page}>
        <FramedPages />
      </App>
    </Router>,
  );
  return {
    title: HOISTED_TITLE.exec(html)?.[1] ?? (known ? `${known.title} · Plantstore` : "Plantstore"),
    html: html.replace(HOISTED_TITLE, "").replace(NAMES, ""),
  };
}

/** Renders the theme's variables and classes as a style sheet, so that they apply before any program runs. */
export function themeStyles(): string {
  const html = renderToString(
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto" />,
  );
  return [...html.matchAll(/<style[^>]*>([^<]*)<\/style>/g)].map(([, css = ""]) => css).join("\n");
}

/** Defines the globals of a browser that pages read while they render, with no stored data. */
function withoutBrowser(path: string): void {
  const empty = { getItem: () => null };
  const location = new URL(path, NOWHERE);
  Object.assign(globalThis, { localStorage: empty, sessionStorage: empty, location });
}
