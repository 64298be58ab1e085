import { useEffect } from "react";

/** While active, the browser asks before the page is left or reloaded. */
export function useStayQuestion(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [active]);
}
