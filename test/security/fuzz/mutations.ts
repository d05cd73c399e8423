import fc from 'fast-check';

type Json = unknown;

/** Values that a reader of an untrusted document is likely to get wrong. */
const HOSTILE: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    ...['../../../outside/secret', '/etc/hostname', '.git/config', '.GIT/config', 'link/secret', 'data/../../x'],
    ...['', '.', '..', 'a\u0000b', 'a\\b', '~/x', '@/etc/hostname', 'file:///etc/hostname', '__proto__', 'constructor'],
    ...['(a+)+$', '^(a|a)*$', '\\'.repeat(50_000), '_'.repeat(50_000), `\${oc.env:HOME}`, '\n::error::x', '\u202e'],
    ...[null, true, 0, -1, 1.5, 2 ** 53, 1e308, [], {}, [[]], [null], { a: {} }],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 0, max: 10_000 }).map((length) => Array.from({ length }, (_, at) => `x/${at}`)),
  fc.integer({ min: 0, max: 10_000 }).map((length) => Object.fromEntries(keys(length).map((key) => [key, key]))),
  fc.integer({ min: 1, max: 2000 }).map((depth) => nested(depth)),
);

const Change = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'delete', 'rename', 'add'),
  key: fc.oneof(
    fc.constantFrom('../x', '.git/config', 'link/secret', '__proto__', 'files', 'format', 'a'.repeat(300)),
    fc.string({ maxLength: 12 }),
  ),
  value: HOSTILE,
});

/**
 * A valid document with some of its members changed.
 * @param valid a JSON value
 */
export function changed(valid: Json): fc.Arbitrary<Json> {
  return fc.array(Change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const root = { document: structuredClone(valid) };
    for (const { at, how, key, value } of changes) {
      const places = members(root);
      const { parent, name } = places[at % places.length] as Place;
      if (how === 'replace' || parent === root) parent[name] = value;
      else if (how === 'delete') delete parent[name];
      else if (!Array.isArray(parent) || key !== 'length') {
        const moved = how === 'rename' ? parent[name] : value;
        if (how === 'rename') delete parent[name];
        Object.defineProperty(parent, key, { value: moved, enumerable: true, configurable: true, writable: true });
      }
    }
    return root.document;
  });
}

/** A text that was cut, or into which another text was inserted. */
export function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('\u0000', '<<<<<<<', '*a', '\ufeff'),
  );
  return fc
    .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(30), piece)
    .map(([whole, where, length, put]) => {
      const at = Math.floor(whole.length * where);
      return whole.slice(0, at) + put + whole.slice(at + length);
    });
}

interface Place {
  parent: Record<string, Json>;
  name: string;
}

/** Each member at any depth, with the object or array that contains it. */
function members(root: object): Place[] {
  const found: Place[] = [];
  const left: Json[] = [root];
  for (let node = left.pop(); node !== undefined && found.length < 1000; node = left.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [name, value] of Object.entries(node)) {
      found.push({ parent: node as Record<string, Json>, name });
      left.push(value);
    }
  }
  return found;
}

function keys(length: number): string[] {
  return Array.from({ length }, (_, at) => `k${at}`);
}

function nested(depth: number): Json {
  let value: Json = 'x';
  for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}
