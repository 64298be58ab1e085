/** A system whose work fails is skipped from then on, and named on the page with the reason. */
import type { Peer } from "#peer/peer.ts";
import type { Skipped } from "./results.ts";

/** Does the work unless the system is skipped already. `doing` names the work on the terminal, as in "installing". */
export async function unlessSkipped(
  { skipped }: { readonly skipped: Skipped[] },
  peer: Peer,
  doing: string,
  work: () => Promise<unknown>,
): Promise<void> {
  if (skipped.some(({ peer: name }) => name === peer.name)) return;
  console.error(`${peer.title}: ${doing}`);
  try {
    await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`${peer.title} is skipped: ${reason}`);
    skipped.push({ peer: peer.name, reason });
  }
}
