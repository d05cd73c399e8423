// Templates are compiled when gymgen is built: compiling them took a twentieth of a small write.

import Handlebars from 'handlebars';

/** A plugin of rolldown, and so of vite: a module that is a template has what `Handlebars.template` takes as its default export. */
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
