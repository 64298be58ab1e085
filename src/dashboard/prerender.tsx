import { MantineProvider } from "@mantine/core";
import { renderToString } from "react-dom/server";
import { Router } from "wouter";
import { App } from "./app.tsx";
import { FramedPages } from "./framed-pages.tsx";
import * as laterPages from "./later-pages.ts";
import { keepCode } from "./later-program.ts";
import { PageContext } from "./page-context.tsx";
import { PAGES } from "./pages.ts";
import type { OpenApiDocument } from "./reference/openapi.ts";
import { referenceQuery } from "./reference/reference-document.ts";
import { keepSession } from "./session/session.ts";
import { theme } from "./theme/theme.ts";
import { variables } from "./theme/variables.ts";

/** A page as it stands before its data has come. */
interface Prerendered {
  readonly title: string;
  readonly html: string;
}

interface PrerenderOptions {
  readonly path: string;
  /** False for the reference of a reader who is not signed in. */
  readonly signedIn: boolean;
  readonly reference: OpenApiDocument;
}

/** The origin of no service: what is shown at first names no address. */
const NOWHERE = "http://127.0.0.1";
/** The session of nobody: its account stands in the frame as an empty name. */
const NO_SESSION: Parameters<typeof keepSession>[1] = {
  account: { id: "", email: "", name: "", created_at: "", two_factor: false, email_verified: false },
  base_url: "",
  signup: "closed",
  mail: false,
  versions: { service: "", interface: "", segment: "v1" },
};

/** Pages that show the account itself. They are built without their content, as is every address that is no page. */
const OF_THE_ACCOUNT = new Set(["AccountPage", "ProfilePage", "QuickStartPage", "SecurityPage"]);

/** Nothing finds a field of a page that cannot be used yet by its name. */
const NAMES = / (?:aria-label|aria-labelledby|for)="[^"]*"/g;
const HOISTED_TITLE = /<title>([^<]*)<\/title>/;

/** Renders a page within the frame for the build, so that it is painted from its HTML while its program loads. */
export function prerender({ path, signedIn, reference }: PrerenderOptions): Prerendered {
  withoutBrowser(path);
  const page = new PageContext(() => Promise.reject(new Error("Nothing is asked for in a build")), NOWHERE);
  if (signedIn) keepSession(page.queries, NO_SESSION);
  const known = PAGES.find((each) => each.path === path);
  const ready = Object.entries(laterPages).filter(([name]) => name === known?.later && !OF_THE_ACCOUNT.has(name));
  keepCode(page.queries, Object.fromEntries(ready));
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

/** The theme's variables and classes as a style sheet, which need no program then. */
export function themeStyles(): string {
  const html = renderToString(
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto" />,
  );
  return [...html.matchAll(/<style[^>]*>([^<]*)<\/style>/g)].map(([, css = ""]) => css).join("\n");
}

/** What the pages read of a browser while they render, for one that has never been here. */
function withoutBrowser(path: string): void {
  const empty = { getItem: () => null };
  const location = new URL(path, NOWHERE);
  Object.assign(globalThis, { localStorage: empty, sessionStorage: empty, location });
}
