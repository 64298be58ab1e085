import "./dom.ts";
import { MantineProvider } from "@mantine/core";
import { cleanup, configure, render, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { Announcer } from "#dashboard/components/announcer.tsx";
import { PageContext, PageContextProvider } from "#dashboard/program/page-context.tsx";
import { theme } from "#dashboard/program/theme.ts";
import { keepSession, useSessionQuery } from "#dashboard/session/session.ts";
import { onDownload, onLeave, resize, visit } from "./dom.ts";
import { offerPasskeys } from "./passkey-browser.ts";

// In a `waitFor` elements are compared with `=== null`: each failure of `expect(element).toBeNull()` would print the whole page.
configure({ asyncUtilTimeout: 60_000 });

/** The answer to a request of the page: a body, a whole response for another status, or a promise of one. */
type Answer = unknown | Response | Promise<unknown>;
type Handler = (request: { readonly body: string; readonly url: URL; readonly headers: Headers }) => Answer;

export interface ComponentOptions {
  /** By method and path, as in "GET /dashboard/api/session". Other requests are answered 404. */
  readonly answers?: Readonly<Record<string, Answer | Handler>>;
  readonly path?: string;
  /** The pattern of the component's address, for components that read parts of it. */
  readonly route?: string;
  /** The entries that an earlier visit of this tab left in its storage. */
  readonly stored?: Readonly<Record<string, string>>;
  /** The window's width in pixels: wide by default. */
  readonly width?: number;
  /** True for a browser that has passkeys, at a host with a name. */
  readonly passkeys?: boolean;
  /** The session of a component that is rendered only once it is known, as within the frame. */
  readonly session?: SessionView;
  /** The session as it is known from the beginning: of an owner, by default; null for none. */
  readonly known?: SessionView | null;
}

export const SESSION: SessionView = {
  account: {
    id: "acc_1",
    email: "owner@greenleaf.example",
    name: "Greenleaf Nursery",
    created_at: "2026-03-01T00:00:00.000Z",
    two_factor: false,
    email_verified: false,
    has_password: true,
  },
  store: { id: "acc_1", name: "Greenleaf Nursery", role: "owner", test: false, second_factor_required: false },
  stores: [{ id: "acc_1", name: "Greenleaf Nursery", role: "owner", test: false }],
  base_url: "http://127.0.0.1:3000",
  signup: "first",
  mail: false,
  provider: null,
  proof: { kind: "asked", until: "2999-01-01T00:00:00.000Z" },
  versions: { service: "1.0.0", interface: "1.0.0", segment: "v1" },
};

const ASK_SESSION = "GET /dashboard/api/session";

/** A refusal in the Error shape. */
export function refusal(error: number, message = "No"): Response {
  return Response.json({ error, message }, { status: Math.floor(error / 100), headers: { "Request-Id": "req_test" } });
}

/** The answer to a request while the service is out of reach. */
export function noAnswer(): never {
  throw new TypeError("Failed to fetch");
}

/** The name of the focused element: its label or its text; "BODY" if there is none. */
export function focusedName(): string {
  const { activeElement } = document;
  if (!activeElement || activeElement === document.body) return "BODY";
  const { labels } = activeElement as HTMLInputElement;
  return activeElement.getAttribute("aria-label") ?? labels?.[0]?.textContent ?? activeElement.textContent;
}

/** True if the browser asks before the page is left. */
export function leavingIsQuestioned(): boolean {
  return !dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

/** How often the list of that key is asked for anew, in milliseconds, or false. */
export function renewalOf(page: PageContext, key: string) {
  const [query] = page.queries.getQueryCache().findAll({ queryKey: [key] });
  const { refetchInterval } = query?.observers[0]?.options ?? {};
  return typeof refetchInterval === "function" && query ? refetchInterval(query) : refetchInterval;
}

/** An answer that waits until it is released, to test the page in the meantime. */
export function held(answer: Answer) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { answer: () => promise.then(() => answer), release: resolve };
}

/** Renders its children once the session is known, as within the frame. */
export function WhenSignedIn({ children }: { readonly children: ReactNode }) {
  return useSessionQuery().data ? children : null;
}

/** Renders a component in its own page, with a service that gives prepared answers and records the requests. */
export async function renderComponent(component: ReactNode, options: ComponentOptions = {}) {
  const { answers = {}, path = "/dashboard", route, stored = {}, width = 1280, passkeys = false, session } = options;
  const { known = session || answers[ASK_SESSION] ? null : SESSION } = options;
  cleanup();
  // Answers arrive at any time, as in a browser; the tests' queries wait for their effects.
  Reflect.set(globalThis, "IS_REACT_ACT_ENVIRONMENT", false);
  localStorage.clear();
  sessionStorage.clear();
  for (const [name, value] of Object.entries(stored)) sessionStorage.setItem(name, value);
  visit(path, passkeys ? "localhost" : "127.0.0.1");
  offerPasskeys(passkeys);
  resize(width);
  const asked: { readonly call: string; readonly body: string }[] = [];
  const left: string[] = [];
  const saved: { readonly name: string; readonly text: () => Promise<string> }[] = [];
  onLeave((address) => left.push(address));
  onDownload((name, address) => saved.push({ name, text: async () => (await fetch(address)).text() }));
  const prepared: Readonly<Record<string, Answer | Handler>> = {
    [ASK_SESSION]: session ?? SESSION,
    ...answers,
  };
  const send = async (address: string, { method = "GET", body, headers }: RequestInit = {}): Promise<Response> => {
    const url = new URL(address, "http://127.0.0.1:3000");
    const call = `${method} ${url.pathname}`;
    const text = typeof body === "string" ? body : await new Response(body).text();
    asked.push({ call: `${method} ${url.pathname}${url.search}`, body: text });
    const answer = prepared[call];
    const given =
      typeof answer === "function" ? await answer({ body: text, url, headers: new Headers(headers) }) : answer;
    if (given instanceof Response) return given.clone();
    if (given === undefined) return refusal(40401, `Nothing is there at ${call}`);
    return typeof given === "string" ? new Response(given) : Response.json(given);
  };
  // wouter reads the address when it is loaded, so it is loaded once there is one.
  const { Route } = await import("wouter");
  const page = new PageContext(send, "http://127.0.0.1:3000", (options) => new PlantstoreClient(options));
  if (known) keepSession(page.queries, known);
  const shown = session ? <WhenSignedIn>{component}</WhenSignedIn> : component;
  const rendered = render(
    // Without a layout the theme's variables have no effect, and each computed style would copy hundreds of them.
    <MantineProvider theme={theme} env="test" withCssVariables={false}>
      <PageContextProvider page={page}>
        {route === undefined ? shown : <Route path={route}>{shown}</Route>}
        <Announcer />
      </PageContextProvider>
    </MantineProvider>,
  );
  /** The bodies of the requests to an address so far, as JSON. */
  const sent = (call: string) => asked.filter((each) => each.call === call).map(({ body }) => JSON.parse(body));
  /** The requests so far, as in "GET /dashboard/api/session". */
  const calls = () => asked.map(({ call }) => call);
  /** No timer fires between two keys of this user, however busy the machine is. */
  const instantUser = userEvent.setup({ delay: null });
  const user = userEvent.setup();
  /** Waits for a button, and clicks it. */
  const press = async (name: string | RegExp) => user.click(await rendered.findByRole("button", { name }));
  return { ...rendered, page, asked, calls, sent, left, saved, waitFor, within, user, press, instantUser };
}
