import { UserError } from '../../errors.js';
import { isRecord } from '../../json/guards.js';
import { LIMITS, overLimit } from '../../limits.js';

type Schema = Record<string, unknown>;

const WHERE = "the action's schema";

/**
 * Replaces the references of a schema with their targets, because not every model's server resolves references. A
 * recursive reference stays.
 * @throws UserError if a reference has no target, or if the result is too large
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
  /** Targets by reference, because a long reference may occur thousands of times. */
  private readonly targets = new Map<string, unknown>();

  constructor(private readonly root: Schema) {}

  /** @param within the references that led to this value */
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
    const target = this.inline(this.resolve($ref), [...within, $ref]);
    // Keywords beside a reference apply as well, and are more specific, such as a field's own description.
    return isRecord(target) ? { ...target, ...(this.members(rest, within) as Schema) } : target;
  }

  private members(schema: Schema, within: readonly string[]): Schema {
    // OpenAPI's discriminator refers to definitions, which are removed.
    const kept = Object.entries(schema).filter(([key]) => key !== 'discriminator' || !('oneOf' in schema));
    return Object.fromEntries(
      kept.map(([key, value]) => [key, isDefinitions(schema, this.root, key) ? value : this.inline(value, within)]),
    );
  }

  private resolve(reference: string): unknown {
    const known = this.targets.get(reference);
    if (known !== undefined) return known;
    const target = this.find(reference);
    this.targets.set(reference, target);
    return target;
  }

  private find(reference: string): unknown {
    const path = reference.startsWith('#/') ? reference.slice(2).split('/') : undefined;
    let found: unknown = this.root;
    for (const key of path ?? ['']) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    if (found !== undefined) return found;
    throw new UserError(`the action's schema has an unknown reference: '${reference.slice(0, 80)}'`, {
      fix: 'correct the schema on the server',
    });
  }
}

function isDefinitions(schema: Schema, root: Schema, key: string): boolean {
  return schema === root && (key === '$defs' || key === 'definitions');
}
