import type { BunPlugin } from "bun";

const USE_ID = /[\\/]@mantine[\\/]hooks[\\/]esm[\\/]use-id[\\/]use-id\.mjs$/;

/**
 * Replaces Mantine's hook for ids by React's. Mantine's sets another, random id in an effect, so every field, every menu
 * and the frame render twice before the browser can respond, which is a noticeable pause on slow devices. React's ids are
 * unique in a page that one program renders.
 */
const OWN_IDS = `import { useId as useReactId } from "react";
export function useId(staticId) {
  const id = useReactId();
  return typeof staticId === "string" ? staticId : id;
}
`;

/** `used` returns true if the build found the module to replace; an update of Mantine may move it. */
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
