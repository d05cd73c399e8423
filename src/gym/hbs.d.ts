/** What scripts/handlebars.mjs makes of a template: for `Handlebars.template`. */
declare module '*.hbs' {
  const specification: object;
  export default specification;
}
