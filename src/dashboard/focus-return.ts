import { useEffect, useState } from "react";

/**
 * Gives the focus back when the component goes: to what held it before, or to the page's heading if that is gone. For
 * dialogs that are rendered only while they are open; the library gives it back for the others.
 */
export function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (document.activeElement !== document.body && document.activeElement !== null) return;
      const usable = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
      const target = usable ? opener : document.querySelector<HTMLElement>("h1[tabindex]");
      target?.focus({ preventScroll: true });
    },
    [opener],
  );
}
