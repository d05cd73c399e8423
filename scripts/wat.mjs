// WebAssembly is assembled when gymgen is built.

import wabt from 'wabt';

/** A plugin of rolldown, and so of vite: the default export of a module in WebAssembly's text form makes an instance of it. */
export const wat = {
  name: 'wat',
  transform: {
    filter: { id: /\.wat$/ },
    async handler(source, id) {
      const { parseWat } = await wabt();
      const { buffer } = parseWat(id, source, { simd: true }).toBinary({});
      const base64 = Buffer.from(buffer).toString('base64');
      const code = `new WebAssembly.Instance(new WebAssembly.Module(Buffer.from('${base64}', 'base64'))).exports`;
      return { code: `export default () => ${code};`, moduleType: 'js', map: null };
    },
  },
};
