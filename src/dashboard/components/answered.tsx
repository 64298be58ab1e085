import { Skeleton } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { useSignal } from "../api/signal.ts";
import { useService } from "../program/page-context.tsx";
import { FailureNotice } from "./failure-notice.tsx";

type PagesOfList =
  | "isPlaceholderData"
  | "hasNextPage"
  | "isFetching"
  | "isFetchingNextPage"
  | "isFetchNextPageError"
  | "fetchNextPage";

/** The state of a request for data. Those for pages of a list say whether there are more. */
type Query = Pick<UseInfiniteQueryResult, "error" | "refetch"> & Partial<Pick<UseInfiniteQueryResult, PagesOfList>>;

export interface AnsweredProps<Data> {
  readonly query: Query;
  readonly data: Data | undefined;
  /** The shape of what comes: the height of its place in pixels, or a drawing of it. */
  readonly shape?: number | ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/**
 * Shows an answer; until it is there its shape, and if it cannot be had the reason with a button to ask again. While
 * another answer is awaited, or the service does not answer, the one before stays, dimmed.
 */
export function Answered<Data>({ query, data, shape = 240, children }: AnsweredProps<Data>) {
  const lost = useSignal(useService().connection.lost);
  const before = useRef(data);
  if (data !== undefined) before.current = data;
  const shown = lost ? before.current : data;
  const stale = query.isPlaceholderData || (lost && query.error !== null);
  return (
    <>
      <FailureNotice cause={query.isFetchNextPageError ? null : query.error} retry={query.refetch} />
      {shown === undefined && (!query.error || lost) && (
        <div className="late" aria-busy="true">
          {typeof shape === "number" ? <Skeleton h={shape} /> : shape}
        </div>
      )}
      {shown !== undefined && (
        <div aria-busy={stale || undefined} className={stale ? "answered stale" : "answered"}>
          {children(shown)}
        </div>
      )}
    </>
  );
}
