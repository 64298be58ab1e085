import type { ProviderBegun, ProviderFinished } from "#contract/dashboard/identities.ts";
import type { ServiceClient } from "./service-client.ts";

type Purpose = ProviderFinished["purpose"];

/** A sign-in that this browser has begun. The provider leads back to another document, which reads it. */
interface Begun {
  readonly state: string;
  readonly purpose: Purpose;
  /** The page to return to; undefined if the page that began it waits in another window. */
  readonly back: string | undefined;
  /** The token of the invitation that is taken with it. */
  readonly invitation?: string | undefined;
}

/** The answer of the provider, which was in the address of the sign-in page. */
export interface ProviderAnswer extends Omit<Begun, "state"> {
  readonly search: string;
}

const KEY = "plantstore-provider";
/** The service's own limit of sign-ins that a browser may have begun. */
const BEGUN_MAX = 5;

/** Leads this window to the provider. Never resolves. */
export async function goToProvider(service: ServiceClient, begun: Omit<Begun, "state">): Promise<never> {
  location.assign(await begin(service, begun));
  return new Promise(() => {});
}

/** Leads a window of its own there, so that this page keeps what was typed; or this one where the browser opens none. */
export async function openProvider(service: ServiceClient, purpose: Purpose): Promise<void> {
  // Opened at once, since browsers allow that only as the direct consequence of a press.
  const opened = open("about:blank", "_blank", "popup,width=560,height=720");
  const back = opened ? undefined : location.pathname + location.search;
  try {
    const url = await begin(service, { purpose, back });
    (opened ?? window).location.assign(url);
  } catch (error) {
    opened?.close();
    throw error;
  }
}

async function begin(service: ServiceClient, going: Omit<Begun, "state">): Promise<string> {
  const { purpose } = going;
  const proof = purpose === "connect" ? "unspent" : undefined;
  const { url } = await service.request<ProviderBegun>("POST", "/auth/oidc/begin", { purpose }, proof);
  keep([...allBegun(), { ...going, state: new URL(url).searchParams.get("state") ?? "" }].slice(-BEGUN_MAX));
  return url;
}

/** The sign-ins that this browser's windows have begun, the newest last. */
function allBegun(): readonly Begun[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

function keep(begun: readonly Begun[]): void {
  localStorage.setItem(KEY, JSON.stringify(begun));
}

/** Takes the provider's answer out of the address, if there is one, so that no history and no other page has it. */
export function takeProviderAnswer(): ProviderAnswer | undefined {
  const { search, pathname } = location;
  const state = new URLSearchParams(search).get("state");
  if (state === null) return undefined;
  history.replaceState(null, "", pathname);
  const begun = allBegun().find((each) => each.state === state);
  keep(allBegun().filter((each) => each.state !== state));
  const { state: _, ...going } = begun ?? { state, purpose: "sign-in", back: "/dashboard" };
  return { search, ...going };
}

/** Sends the answer to the service, and tells a window that waits for it. Resolves with where to go. */
export async function finishAtProvider(service: ServiceClient, { search, back, invitation }: ProviderAnswer) {
  const finished = await service.request<ProviderFinished>("POST", "/auth/oidc/finish", { search, invitation });
  if (back === undefined) {
    const channel = new BroadcastChannel(KEY);
    channel.postMessage(finished);
    channel.close();
  }
  // Somebody who was known before has not taken the invitation, and goes on there.
  const isOpen = () => service.api("POST", "/invitation", { token: invitation }).then(Boolean, () => false);
  return invitation === undefined || (await isOpen()) ? back : "/dashboard";
}

/** Calls `done` when another window has finished. Call the returned function to end that. */
export function onProviderFinished(done: (finished: ProviderFinished) => unknown): () => void {
  const channel = new BroadcastChannel(KEY);
  channel.onmessage = ({ data }: MessageEvent<ProviderFinished>) => done(data);
  return () => channel.close();
}
