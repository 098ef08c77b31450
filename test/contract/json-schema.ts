/** The keywords of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** Finds the schema that a `$ref` names. */
type Resolve = (reference: string) => JsonSchema;

interface Place {
  /** Dotted path of the value. */
  readonly at: string;
  readonly resolve: Resolve;
  readonly schema: JsonSchema;
}

/**
 * Where a value differs from its schema, a line each. Unlike a client a test is strict: a field that the schema does not name is a
 * difference, at any depth. Own code, because a library compiles schemas for half a second in each test file.
 */
export function differences(schema: JsonSchema, value: unknown, resolve: Resolve, at = ''): string[] {
  const place = { at, resolve, schema };
  return Object.entries(schema).flatMap(([keyword, wanted]) => {
    const check = (keywords as Readonly<Record<string, Check<never> | undefined>>)[keyword];
    if (!check) throw new Error(`the keyword ${keyword} of a schema is not checked`);
    return check(wanted as never, value, place);
  });
}

type Check<Wanted> = (wanted: Wanted, value: unknown, place: Place) => string[];
type Keywords = { readonly [Keyword in keyof JsonSchema]-?: Check<NonNullable<JsonSchema[Keyword]>> };

const unchecked = () => [];
const differs = (at: string, how: string) => [`${at === '' ? 'the body' : at} ${how}`];

const keywords: Keywords = {
  $ref: (reference, value, { at, resolve }) => differences(resolve(reference), value, resolve, at),
  type: (wanted, value, { at }) =>
    [wanted].flat().some((type) => isOfType(type, value)) ? [] : differs(at, `is no ${[wanted].flat().join(' or ')}`),
  enum: (wanted, value, { at }) => (wanted.includes(value) ? [] : differs(at, `is none of ${wanted.join(', ')}`)),
  const: (wanted, value, { at }) => (value === wanted ? [] : differs(at, `is not ${JSON.stringify(wanted)}`)),
  anyOf: (branches, value, place) => ofBest(branches, value, place),
  // The discriminator names the one branch.
  oneOf: (branches, value, place) => (place.schema.discriminator ? [] : ofBest(branches, value, place)),
  discriminator: ({ propertyName, mapping }, value, { at, resolve }) => {
    const name = entriesOf(value).find(([field]) => field === propertyName)?.[1];
    const reference = typeof name === 'string' ? mapping[name] : undefined;
    if (reference === undefined) return differs(inside(at, propertyName), 'names no schema');
    return differences(resolve(reference), value, resolve, at);
  },
  properties: (fields, value, { at, resolve, schema }) =>
    entriesOf(value).flatMap(([name, field]) => {
      const own = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (own) return differences(own, field, resolve, inside(at, name));
      return schema.additionalProperties === undefined ? differs(inside(at, name), 'is not published') : [];
    }),
  required: (names, value, { at }) =>
    isObject(value)
      ? names.filter((name) => !Object.hasOwn(value, name)).flatMap((name) => differs(inside(at, name), 'is missing'))
      : [],
  additionalProperties: (wanted, value, { at, resolve, schema }) =>
    entriesOf(value)
      .filter(([name]) => !Object.hasOwn(schema.properties ?? {}, name))
      .flatMap(([name, field]) => {
        if (typeof wanted === 'boolean') return wanted ? [] : differs(inside(at, name), 'is not published');
        return differences(wanted, field, resolve, inside(at, name));
      }),
  propertyNames: (wanted, value, { at, resolve }) =>
    entriesOf(value).flatMap(([name]) => differences(wanted, name, resolve, `the name ${inside(at, name)}`)),
  items: (wanted, value, { at, resolve }) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => differences(wanted, item, resolve, inside(at, String(index))))
      : [],
  minItems: (least, value, { at }) =>
    Array.isArray(value) && value.length < least ? differs(at, `has less than ${least} items`) : [],
  maxItems: (most, value, { at }) =>
    Array.isArray(value) && value.length > most ? differs(at, `has more than ${most} items`) : [],
  minLength: (least, value, { at }) =>
    typeof value === 'string' && lengthOf(value) < least ? differs(at, `is shorter than ${least}`) : [],
  maxLength: (most, value, { at }) =>
    typeof value === 'string' && lengthOf(value) > most ? differs(at, `is longer than ${most}`) : [],
  pattern: (source, value, { at }) =>
    typeof value === 'string' && !new RegExp(source, 'u').test(value) ? differs(at, `does not match ${source}`) : [],
  format: (name, value, { at }) => {
    const format = formats[name];
    if (!format) throw new Error(`the format ${name} of a schema is not checked`);
    return typeof value === 'string' && !format.test(value) ? differs(at, `is no ${name}`) : [];
  },
  minimum: (least, value, { at }) =>
    typeof value === 'number' && value < least ? differs(at, `is below ${least}`) : [],
  maximum: (most, value, { at }) => (typeof value === 'number' && value > most ? differs(at, `is above ${most}`) : []),
  exclusiveMinimum: (bound, value, { at }) =>
    typeof value === 'number' && value <= bound ? differs(at, `is not above ${bound}`) : [],
  description: unchecked,
  default: unchecked,
  examples: unchecked,
};

const formats: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
};

/** No differences when a branch fits, else those of the branch that fits best. */
function ofBest(branches: readonly JsonSchema[], value: unknown, { at, resolve }: Place): string[] {
  const tried = branches.map((branch) => differences(branch, value, resolve, at));
  return tried.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

/** JSON Schema counts code points. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function inside(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}
