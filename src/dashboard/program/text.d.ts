/** The bundler supplies the text of a document. */
declare module "*.md" {
  const text: string;
  export default text;
}
