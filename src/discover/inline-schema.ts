import { UserError } from '../errors.js';
import { isRecord } from '../json/guards.js';
import { LIMITS, overLimit } from '../limits.js';

type Schema = Record<string, unknown>;

const WHERE = "the action's schema";

/**
 * A schema with what its references name in their place, since not every model's server follows them. One that names
 * itself stays a reference.
 * @throws UserError where a reference names nothing here, or the whole gets too large
 */
export function inlineSchema(root: Schema): Schema {
  const inliner = new Inliner(root);
  const { $defs, definitions, ...schema } = inliner.inline(root, []) as Schema;
  if (!inliner.recursive) return schema;
  return { ...schema, ...($defs === undefined ? {} : { $defs: root.$defs }), ...(definitions ? { definitions } : {}) };
}

class Inliner {
  recursive = false;
  private values = 0;
  /** What a reference names: a long one may occur thousands of times. */
  private readonly found = new Map<string, unknown>();

  constructor(private readonly root: Schema) {}

  /** @param within the references that led here */
  inline(value: unknown, within: readonly string[]): unknown {
    this.values += 1;
    if (this.values > LIMITS.actionValues) throw overLimit('actionValues', { where: WHERE });
    if (within.length > LIMITS.actionReferences) throw overLimit('actionReferences', { where: WHERE });
    if (Array.isArray(value)) return value.map((item) => this.inline(item, within));
    if (!isRecord(value)) return value;
    const { $ref, ...rest } = value;
    if (typeof $ref !== 'string') return this.members(value, within);
    if (within.includes($ref)) {
      this.recursive = true;
      return value;
    }
    const target = this.inline(this.find($ref), [...within, $ref]);
    // What stands beside a reference holds as well, and says more: a field's own description.
    return isRecord(target) ? { ...target, ...(this.members(rest, within) as Schema) } : target;
  }

  private members(schema: Schema, within: readonly string[]): Schema {
    // OpenAPI's discriminator names definitions, which are no longer there.
    const kept = Object.entries(schema).filter(([key]) => key !== 'discriminator' || !('oneOf' in schema));
    return Object.fromEntries(
      kept.map(([key, value]) => [key, isDefinitions(schema, this.root, key) ? value : this.inline(value, within)]),
    );
  }

  private find(reference: string): unknown {
    const known = this.found.get(reference);
    if (known !== undefined) return known;
    const found = this.search(reference);
    this.found.set(reference, found);
    return found;
  }

  private search(reference: string): unknown {
    const path = reference.startsWith('#/') ? reference.slice(2).split('/') : undefined;
    let found: unknown = this.root;
    for (const key of path ?? ['']) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    if (found !== undefined) return found;
    throw new UserError(`the action's schema refers to '${reference.slice(0, 80)}', which it doesn't have`);
  }
}

function isDefinitions(schema: Schema, root: Schema, key: string): boolean {
  return schema === root && (key === '$defs' || key === 'definitions');
}
