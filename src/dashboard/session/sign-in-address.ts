/** The address of the sign-in, which leads back to where the reader was going. `search` begins with "?", or is empty. */
export function signInAddress(path: string, search: string): string {
  const back = path + search;
  return `/dashboard/sign-in${back === "/dashboard" ? "" : `?back=${encodeURIComponent(back)}`}`;
}
