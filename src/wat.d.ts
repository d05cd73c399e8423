/** What scripts/wat.mjs makes of a module in WebAssembly's text form. */
declare module '*.wat' {
  /** @returns what it exports */
  const instantiate: () => unknown;
  export default instantiate;
}
