import type { SessionView } from "#contract/dashboard/session.ts";

const CHOSEN = "plantstore-store";
const MEMBER = "store";
const NAMES_STORE = /^\/(?:dashboard|docs)(?:[/?#]|$)/;

/** The store that this document is to show, if the reader has chosen any: the one of its address, else the last one. */
export function chosenStore(): string | undefined {
  return storeOfAddress() ?? localStorage.getItem(CHOSEN) ?? undefined;
}

/** Links name the store for readers who have several. */
export function storeOfAddress(): string | undefined {
  return new URLSearchParams(location.search).get(MEMBER) ?? undefined;
}

export function rememberStore(id: string): void {
  localStorage.setItem(CHOSEN, id);
}

export function forgetStore(): void {
  localStorage.removeItem(CHOSEN);
}

/** Puts the store of the session into the address of this document, for a reader who has several. */
export function nameStore({ store, stores }: SessionView): void {
  if (!store || stores.length < 2 || storeOfAddress() !== undefined) return;
  history.replaceState(history.state, "", withStore(location.pathname + location.search + location.hash, store.id));
}

export function inSameStore(address: string): string {
  const store = storeOfAddress();
  return store === undefined || !NAMES_STORE.test(address) ? address : withStore(address, store);
}

function withStore(address: string, store: string): string {
  const { pathname, searchParams, hash } = new URL(address, location.origin);
  if (!searchParams.has(MEMBER)) searchParams.set(MEMBER, store);
  return `${pathname}?${searchParams}${hash}`;
}
