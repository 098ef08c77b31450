/** The parts of JSON Schema that the mutations use. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
}

export interface Mutation {
  /** Dotted path of the invalid field. */
  readonly field: string;
  readonly how: string;
  readonly body: unknown;
}

type Path = readonly (string | number)[];

/** Returns copies of `sample`, each with one invalid field: missing, of another type, out of bounds, too long or unknown. */
export function mutations(schema: Schema, sample: object): Mutation[] {
  return visit(schema, [], sample).map(({ path, how, value }) => ({
    field: path.join('.'),
    how,
    body: withValue(sample, path, value),
  }));
}

interface InvalidValue {
  readonly path: Path;
  readonly how: string;
  /** Undefined removes the field. */
  readonly value: unknown;
}

function visit(schema: Schema, path: Path, sample: unknown): InvalidValue[] {
  const here = path.length === 0 ? [] : [...otherTypes(schema, path), ...outOfBounds(schema, path, sample)];
  const isFreeForm = schema.type === 'object' && schema.properties === undefined;
  if (isFreeForm) return here;
  if (schema.type === 'object') {
    const inside = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
      const value = (sample as Record<string, unknown>)[name];
      const missing = schema.required?.includes(name)
        ? [{ path: [...path, name], how: 'missing', value: undefined }]
        : [];
      return [...missing, ...visit(child, [...path, name], value)];
    });
    return [...here, { path: [...path, 'surprise'], how: 'unknown', value: 1 }, ...inside];
  }
  if (schema.type === 'array' && schema.items && Array.isArray(sample) && sample.length > 0) {
    return [...here, ...visit(schema.items, [...path, 0], sample[0])];
  }
  return here;
}

const examples: Record<string, unknown> = {
  string: 'x',
  number: 7.5,
  boolean: true,
  array: ['x'],
  object: { x: 1 },
  null: null,
};

function otherTypes(schema: Schema, path: Path): InvalidValue[] {
  const allowed = new Set([schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? []));
  if (allowed.has('integer')) allowed.add('number');
  return Object.entries(examples)
    .filter(([type]) => !allowed.has(type))
    .map(([type, value]) => ({ path, how: `is ${type}`, value }));
}

function outOfBounds(schema: Schema, path: Path, sample: unknown): InvalidValue[] {
  const values = [schema, ...(schema.anyOf ?? [])].flatMap(numbersOutOfBounds).concat(sizesOutOfBounds(schema, sample));
  return values.map(([how, value]) => ({ path, how, value }));
}

type LabelledValue = readonly [how: string, value: unknown];

function numbersOutOfBounds({ minimum, maximum, exclusiveMinimum, type }: Schema): LabelledValue[] {
  const values: LabelledValue[] = [];
  if (minimum !== undefined) values.push(['below its minimum', minimum - 1]);
  if (exclusiveMinimum !== undefined) values.push(['at its excluded minimum', exclusiveMinimum]);
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) values.push(['above its maximum', maximum + 1]);
  if (type === 'integer') values.push(['a fraction', 1.5]);
  return values;
}

function sizesOutOfBounds(
  { minLength = 0, maxLength, minItems = 0, maxItems }: Schema,
  sample: unknown,
): LabelledValue[] {
  const values: LabelledValue[] = [];
  if (minLength > 0) values.push(['too short', '']);
  if (maxLength !== undefined) values.push(['too long', 'x'.repeat(maxLength + 1)]);
  if (minItems > 0) values.push(['too few', []]);
  if (maxItems !== undefined && Array.isArray(sample)) values.push(['too many', Array(maxItems + 1).fill(sample[0])]);
  if (typeof sample === 'string') values.push(['with a NUL', `${sample}\0`]);
  return values;
}

function withValue(sample: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  const copy = structuredClone(sample) as Record<string | number, unknown>;
  const child = withValue(copy[step], rest, value);
  if (child === undefined) Reflect.deleteProperty(copy, step);
  else copy[step] = child;
  return copy;
}
