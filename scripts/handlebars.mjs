// Compiles the templates at build time, because compiling them took a twentieth of a small write.

import Handlebars from 'handlebars';

/**
 * A rolldown (and vite) plugin: a template's default export is the precompiled object that `Handlebars.template` takes.
 */
export const handlebars = {
  name: 'handlebars',
  transform: {
    filter: { id: /\.hbs$/ },
    handler: (source) => ({
      code: `export default ${Handlebars.precompile(source, { noEscape: true, strict: true })};`,
      moduleType: 'js',
      map: null,
    }),
  },
};
