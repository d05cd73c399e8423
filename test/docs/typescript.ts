// TypeScript from JSON schemas, for the types of the library.

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | false;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
}

export interface Property {
  name: string;
  type: string;
  doc?: string | undefined;
  isOptional: boolean;
}

const WIDTH = 120;

/** An exported interface. */
export function interfaceText(
  name: string,
  properties: readonly Property[],
  doc: string | undefined,
  parents: string[] = [],
): string {
  const from = parents.length === 0 ? '' : ` extends ${parents.join(', ')}`;
  return `${doc ? docText(doc, '') : ''}export interface ${name}${from} {\n${propertyLines(properties, '  ')}}\n`;
}

function propertyLines(properties: readonly Property[], indent: string): string {
  return properties
    .map(({ name, type, doc, isOptional }) => {
      const mark = isOptional ? '?' : '';
      const full = isOptional ? `${type} | undefined` : type;
      return `${doc ? docText(doc, indent) : ''}${indent}${name}${mark}: ${full};\n`;
    })
    .join('');
}

/** A comment on one line, or wrapped. */
export function docText(text: string, indent: string): string {
  const line = `${indent}/** ${text} */`;
  if (line.length <= WIDTH) return `${line}\n`;
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (`${indent} *${longer}`.length > WIDTH) lines.push(` ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return [`${indent}/**`, ...lines.map((one) => `${indent} *${one}`), `${indent} */`, ''].join('\n');
}

/** The properties of an object. */
export function propertiesOf({ properties = {}, required = [] }: Schema, indent = '  '): Property[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema, indent),
    doc: schema.description,
    isOptional: !required.includes(name),
  }));
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return typeName(decodeURIComponent(schema.$ref.replace('#/$defs/', '')));
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ');
  if (schema.type === 'array') return arrayOf(typeOf(schema.items as Schema, indent));
  if (schema.properties) {
    return `{\n${propertyLines(propertiesOf(schema, `${indent}  `), `${indent}  `)}${indent}}`;
  }
  if (schema.additionalProperties) return `Record<string, ${typeOf(schema.additionalProperties, indent)}>`;
  return [schema.type].flat().map(plainType).join(' | ');
}

function plainType(type: string | undefined): string {
  return type === 'integer' ? 'number' : (type ?? 'unknown');
}

function arrayOf(type: string): string {
  return /^\w+$|^\{/.test(type) ? `${type}[]` : `(${type})[]`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** `Checked folder` → `CheckedFolder`. `Error` is taken. */
export function typeName(id: string): string {
  const name = id.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
  return name === 'Error' ? 'ErrorParts' : name;
}
