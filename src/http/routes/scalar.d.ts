/** Imported as a file: its path. */
declare module "@scalar/api-reference/browser/standalone.js" {
  const path: string;
  export default path;
}
