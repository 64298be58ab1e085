/** Makes a formatter once it is used: a browser takes milliseconds for each, and no page needs all of them. */
export function formatter<Formatter extends object>(make: () => Formatter): () => Formatter {
  let made: Formatter | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
