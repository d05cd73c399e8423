/** A template that scripts/handlebars.mjs compiled, for `Handlebars.template`. */
declare module '*.hbs' {
  const specification: object;
  export default specification;
}
