// Imports that the build resolves, with the plugins in scripts/.

/** A template that scripts/handlebars.mjs compiled, for `Handlebars.template`. */
declare module '*.hbs' {
  const specification: object;
  export default specification;
}

/**
 * Imports that scripts/page-assets.mjs resolves: `?text` is the text of a file, and `?script` is a script bundled with
 * the modules that it imports.
 */
declare module '*?script' {
  const text: string;
  export default text;
}
declare module '*?text' {
  const text: string;
  export default text;
}
