import { useEffect, useState } from "react";

/**
 * Returns the focus when the component is removed: to the element that had it before, or to the page's heading if that
 * no longer exists. For dialogs that are rendered only while they are open; the library does it for the others.
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
