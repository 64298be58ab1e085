import { type RefObject, startTransition, useEffect, useState } from "react";

/** Rows beyond the window on either side, so that scrolling shows no gaps. */
const MARGIN_ROWS = 15;

export interface VirtualRows {
  /** The rows to draw start at `first` and end before `end`. */
  readonly first: number;
  readonly end: number;
}

/** The rows among `count` rows of one height that are visible in a window. */
export function rowsInView(count: number, rowHeight: number, top: number, windowHeight: number): VirtualRows {
  const first = Math.max(0, Math.floor(-top / rowHeight) - MARGIN_ROWS);
  const end = Math.min(count, Math.ceil((windowHeight - top) / rowHeight) + MARGIN_ROWS);
  return { first: Math.min(first, Math.max(0, end - 1)), end: Math.max(end, 0) };
}

/** The visible rows of a list that begins at the top of `body`, as the page scrolls. */
export function useVirtualRows(body: RefObject<HTMLElement | null>, count: number, rowHeight: number): VirtualRows {
  // At first no more than a window holds: those beyond it are drawn once these are seen.
  const [rows, setRows] = useState<VirtualRows>(() => ({
    first: 0,
    end: Math.min(count, Math.ceil(innerHeight / rowHeight)),
  }));
  useEffect(() => {
    const look = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const seen = rowsInView(count, rowHeight, top, innerHeight);
      setRows((before) => (before.first === seen.first && before.end === seen.end ? before : seen));
    };
    startTransition(look);
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [body, count, rowHeight]);
  return rows;
}
