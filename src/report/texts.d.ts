/** What scripts/page-assets.mjs makes of the files of a page: their text, and a script with the modules that it imports. */
declare module '*?script' {
  const text: string;
  export default text;
}
declare module '*?text' {
  const text: string;
  export default text;
}
