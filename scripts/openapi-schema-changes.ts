/** The parts of a JSON schema that a client depends on. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: unknown;
  readonly additionalProperties?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** The schemas of a document by their ids. */
export type Schemas = Readonly<Record<string, Schema>>;

/** Which way a schema goes: clients send requests, and read responses. */
export type Direction = 'request' | 'response';

interface Comparison {
  readonly direction: Direction;
  readonly old: Schemas;
  readonly current: Schemas;
  /** Pairs that are being compared, for schemas that contain themselves. */
  readonly within?: ReadonlySet<string>;
}

/** One line for each change of a schema that can break a client, starting with its path. */
export function compareSchemas(comparison: Comparison, at: string, before: Schema, after: Schema): string[] {
  const { old, current, direction, within = new Set() } = comparison;
  const pair = `${before.$ref} ${after.$ref}`;
  if (before.$ref !== undefined && within.has(pair)) return [];
  const inside = { ...comparison, within: new Set([...within, pair]) };
  const [one, other] = [resolved(old, before), resolved(current, after)];
  if (!isSameKind(direction, one, other)) return [`${at} was ${kindOf(one)} and is ${kindOf(other)}`];
  const fields = Object.entries(one.properties ?? {}).flatMap(([name, field]) => {
    const same = other.properties?.[name];
    return same ? compareSchemas(inside, `${at}.${name}`, field, same) : [`${at}.${name} is removed`];
  });
  const items = one.items && other.items ? compareSchemas(inside, `${at}[]`, one.items, other.items) : [];
  const alternatives = sortedAlternatives(one);
  const kinds = new Set(alternatives.map(kindOf));
  const others = sortedAlternatives(other).filter((each) => kinds.has(kindOf(each)));
  const inAlternatives = alternatives.flatMap((each, index) => compareSchemas(inside, at, each, others[index] ?? {}));
  return [
    ...fields,
    ...items,
    ...inAlternatives,
    ...requiredChanges(direction, at, one, other),
    ...enumChanges(direction, at, one, other),
    ...constChanges(at, one, other),
    ...(direction === 'request' ? narrowedBounds(at, one, other) : []),
  ];
}

/** A request may not need more, and a response may not lack more. */
function requiredChanges(direction: Direction, at: string, one: Schema, other: Schema): string[] {
  const [was, is] = [new Set(one.required), new Set(other.required)];
  if (direction === 'request') return [...is.difference(was)].map((name) => `${at}.${name} is required`);
  return [...was.difference(is)]
    .filter((name) => other.properties?.[name])
    .map((name) => `${at}.${name} may be absent`);
}

/** A request may not accept fewer values. A response may have new ones: clients must expect that (`introduction`). */
function enumChanges(direction: Direction, at: string, one: Schema, other: Schema): string[] {
  if (direction === 'response' || !other.enum) return [];
  if (!one.enum) return [`${at} accepts ${other.enum.join(', ')} only`];
  return one.enum
    .filter((value) => !other.enum?.includes(value))
    .map((value) => `${at} does not accept ${String(value)}`);
}

/** A word that is always the same one, such as the status of a response. */
function constChanges(at: string, one: Schema, other: Schema): string[] {
  if (!('const' in one) || !('const' in other) || one.const === other.const) return [];
  return [`${at} was ${String(one.const)} and is ${String(other.const)}`];
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const;
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const;
/** Whether a text is wider than another cannot be told: any other one counts as narrower. */
const forms = ['pattern', 'format'] as const;

/** A request may not be refused for a value that it could have. */
function narrowedBounds(at: string, one: Schema, other: Schema): string[] {
  const changed = [
    ...lowerBounds.filter((name) => (other[name] ?? -Infinity) > (one[name] ?? -Infinity)),
    ...upperBounds.filter((name) => (other[name] ?? Infinity) < (one[name] ?? Infinity)),
    ...forms.filter((name) => other[name] !== undefined && other[name] !== one[name]),
  ];
  const narrowed = changed.map((name) => `${at} has ${name} ${String(other[name])}`);
  const closed = other.additionalProperties === false && one.additionalProperties !== false;
  return closed ? [...narrowed, `${at} refuses other fields`] : narrowed;
}

/** What kind of value a schema describes; a union names its alternatives. */
function kindOf(schema: Schema): string {
  const { type, anyOf, oneOf, $ref } = schema;
  if ($ref !== undefined) return $ref;
  if (anyOf ?? oneOf) return sortedAlternatives(schema).map(kindOf).join(' or ');
  if (type === undefined) return 'const' in schema ? typeof schema.const : 'any';
  return [type].flat().toSorted().join(' or ');
}

/** The alternatives of a union in the order of their kinds, so that those of two unions of one kind are pairs. */
function sortedAlternatives({ anyOf, oneOf }: Schema): readonly Schema[] {
  return (anyOf ?? oneOf ?? []).toSorted((one, other) => kindOf(one).localeCompare(kindOf(other)));
}

/** A response may have more alternatives where a word tells them apart, such as new types of events. */
function isSameKind(direction: Direction, one: Schema, other: Schema): boolean {
  if (kindOf(one) === kindOf(other)) return true;
  if (direction === 'request' || one.discriminator === undefined || other.discriminator === undefined) return false;
  const kinds = new Set(sortedAlternatives(other).map(kindOf));
  return sortedAlternatives(one).every((each) => kinds.has(kindOf(each)));
}

function resolved(schemas: Schemas, schema: Schema): Schema {
  const id = schema.$ref?.split('/').at(-1);
  return id === undefined ? schema : (schemas[id] ?? schema);
}
