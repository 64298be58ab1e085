/**
 * Makes a formatter of numbers or dates once it is used. A browser takes milliseconds for each, more than for all the rest
 * of a program that starts, and no page needs all of them.
 */
export function formatter<Formatter extends object>(make: () => Formatter): () => Formatter {
  let made: Formatter | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
