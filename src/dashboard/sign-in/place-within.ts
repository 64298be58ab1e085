import { HOME } from "../home.ts";

/** Where to go back to: a place of the dashboard's own, whatever the address says. */
export function placeWithin(back: string | null): string {
  return back !== null && /^\/(?![/\\])/.test(back) && !back.startsWith("/sign-in") ? back : HOME;
}
