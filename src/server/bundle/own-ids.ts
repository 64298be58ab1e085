import type { BunPlugin } from "bun";

const USE_ID = /[\\/]@mantine[\\/]hooks[\\/]esm[\\/]use-id[\\/]use-id\.mjs$/;

/**
 * Mantine gives each element that needs an id a second, random one in an effect: every field, menu and the frame itself
 * is then rendered twice, and at once, which a slow device shows as a pause. The ids of React are unique in a page that
 * one program renders, so they stay.
 */
const OWN_IDS = `import { useId as useReactId } from "react";
export function useId(staticId) {
  const id = useReactId();
  return typeof staticId === "string" ? staticId : id;
}
`;

/** `used` tells if the module that it replaces was found: an update of Mantine may move it. */
export function ownIds(): { readonly plugin: BunPlugin; readonly used: () => boolean } {
  let used = false;
  const plugin: BunPlugin = {
    name: "own-ids",
    setup(build) {
      build.onLoad({ filter: USE_ID }, () => {
        used = true;
        return { contents: OWN_IDS, loader: "js" };
      });
    },
  };
  return { plugin, used: () => used };
}
