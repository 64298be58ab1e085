import { type Query, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import type { Fetch } from "../api/connection.ts";
import { shownFailure } from "../api/failure.ts";
import { type Connect, ServiceClient } from "../api/service-client.ts";
import { Signal } from "../api/signal.ts";
import type { ImportStep } from "../import/import-steps.ts";
import { Removals } from "../plants/removals.ts";
import type { TagChange } from "../plants/tag-change.ts";

export const SESSION_KEY = ["session"];

/** A form that the reader closed with something typed in it: its draft, a sentence about it, and where it is. */
export interface LeftDraft {
  readonly draft: string;
  readonly text: string;
  readonly address: string;
}

/** Everything that lives as long as the page. main.tsx makes the page's own; each test makes another. */
export class PageContext {
  readonly service: ServiceClient;
  readonly queries = new QueryClient({
    defaultOptions: {
      // No retries: the connection is watched, and a refusal would only be repeated.
      queries: { staleTime: 10_000, retry: false, networkMode: "always" },
      mutations: { retry: false, networkMode: "always" },
    },
  });
  readonly announced = new Signal("");
  readonly removals: Removals;
  /** The last tag that was set for several plants, for as long as its undo is offered. */
  readonly tagChange = new Signal<TagChange | undefined>(undefined);
  readonly leftDraft = new Signal<LeftDraft | undefined>(undefined);
  readonly importStep = new Signal<ImportStep>({ name: "choosing" });
  /** The secret of the token that was created last in this page, for its examples. It is never stored. */
  readonly madeToken = new Signal<string | undefined>(undefined);

  /** The open dialogs, the one above all others last. */
  readonly dialogs = new Signal<readonly symbol[]>([]);
  /** The elements that had the focus before each dialog was opened. */
  readonly openers: (Element | null)[] = [];

  readonly palette = new Signal(false);

  constructor(send: Fetch, origin: string, connect?: Connect) {
    this.service = new ServiceClient(send, origin, connect);
    this.removals = new Removals(this.service, this.queries);
    const { staleSession } = this.service;
    staleSession.subscribe(
      () => void this.queries.invalidateQueries({ queryKey: SESSION_KEY }, { cancelRefetch: false }),
    );
    const { lost } = this.service.connection;
    // Once the service answers again, everything that got no answer is requested again.
    const predicate = ({ state: { error } }: Query) => error !== null && shownFailure(error).unreachable;
    lost.subscribe(() => {
      if (!lost.get()) void this.queries.invalidateQueries({ predicate });
    });
  }
}

const Page = createContext<PageContext | undefined>(undefined);

export function PageContextProvider({ page, children }: { readonly page: PageContext; readonly children: ReactNode }) {
  return (
    <Page value={page}>
      <QueryClientProvider client={page.queries}>{children}</QueryClientProvider>
    </Page>
  );
}

export function usePage(): PageContext {
  const page = useContext(Page);
  if (!page) throw new Error("usePage is for components below PageContextProvider");
  return page;
}

export function useService(): ServiceClient {
  return usePage().service;
}
