/** The parts of an OpenAPI document that a client depends on. */
export interface ApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Which way a schema goes: clients send requests, and read responses. */
type Direction = 'request' | 'response';

/** One line for each change that can break a client of the old document (spec, "Versioning" 3); empty when there is none. */
export function breakingChanges(old: ApiDocument, current: ApiDocument): string[] {
  return operationsOf(old).flatMap(([name, operation]) => {
    const same = operationsOf(current).find(([other]) => other === name)?.[1];
    return same ? operationChanges(name, [old, operation], [current, same]) : [`${name} is removed`];
  });
}

function operationsOf({ paths = {} }: ApiDocument): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

type Side<Part> = readonly [ApiDocument, Part];

function operationChanges(name: string, [old, before]: Side<Operation>, [current, after]: Side<Operation>): string[] {
  const compare = (direction: Direction, at: string, one?: Schema, other?: Schema) =>
    one && other ? compareSchemas({ direction, old, current }, `${name} ${at}`, one, other) : [];
  const parameters = (after.parameters ?? []).flatMap((parameter) => {
    const known = before.parameters?.find((one) => one.name === parameter.name && one.in === parameter.in);
    if (known) return compare('request', parameter.name, known.schema, parameter.schema);
    return parameter.required ? [`${name} needs the new parameter ${parameter.name}`] : [];
  });
  const removed = (before.parameters ?? [])
    .filter((one) => !after.parameters?.some((other) => one.name === other.name && one.in === other.in))
    .map((one) => `${name} lacks the parameter ${one.name}`);
  const body = compare('request', 'body', jsonOf(before.requestBody), jsonOf(after.requestBody));
  const needsBody = !before.requestBody && after.requestBody ? [`${name} needs a body`] : [];
  const responses = Object.entries(before.responses ?? {})
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, response]) => {
      const same = after.responses?.[status];
      if (!same) return [`${name} no longer returns ${status}`];
      return compare('response', status, jsonOf(response), jsonOf(same));
    });
  return [...parameters, ...removed, ...needsBody, ...body, ...responses];
}

function jsonOf(part: { readonly content?: Content } | undefined): Schema | undefined {
  return part?.content?.['application/json']?.schema;
}

interface Comparison {
  readonly direction: Direction;
  readonly old: ApiDocument;
  readonly current: ApiDocument;
  /** Pairs that are being compared, for schemas that contain themselves. */
  readonly within?: ReadonlySet<string>;
}

function compareSchemas(comparison: Comparison, at: string, before: Schema, after: Schema): string[] {
  const { old, current, direction, within = new Set() } = comparison;
  const pair = `${before.$ref} ${after.$ref}`;
  if (before.$ref !== undefined && within.has(pair)) return [];
  const inside = { ...comparison, within: new Set([...within, pair]) };
  const [one, other] = [resolved(old, before), resolved(current, after)];
  const [was, is] = [kindOf(one), kindOf(other)];
  if (was !== is) return [`${at} was ${was} and is ${is}`];
  const fields = Object.entries(one.properties ?? {}).flatMap(([name, field]) => {
    const same = other.properties?.[name];
    return same ? compareSchemas(inside, `${at}.${name}`, field, same) : [`${at}.${name} is removed`];
  });
  const items = one.items && other.items ? compareSchemas(inside, `${at}[]`, one.items, other.items) : [];
  return [
    ...fields,
    ...items,
    ...requiredChanges(direction, at, one, other),
    ...enumChanges(direction, at, one, other),
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

/** A request may not accept fewer values. A response may have new ones: clients must expect that (README). */
function enumChanges(direction: Direction, at: string, one: Schema, other: Schema): string[] {
  if (direction === 'response' || !one.enum || !other.enum) return [];
  return one.enum
    .filter((value) => !other.enum?.includes(value))
    .map((value) => `${at} does not accept ${String(value)}`);
}

/** What kind of value a schema describes; the alternatives of a union are compared as one text. */
function kindOf(schema: Schema): string {
  const { type, anyOf, oneOf } = schema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives)
    return alternatives
      .map((each) => each.$ref ?? kindOf(each))
      .toSorted()
      .join(' or ');
  if (type === undefined) return 'const' in schema ? typeof schema.const : 'any';
  return [type].flat().toSorted().join(' or ');
}

function resolved({ components }: ApiDocument, schema: Schema): Schema {
  const id = schema.$ref?.split('/').at(-1);
  return id === undefined ? schema : (components?.schemas?.[id] ?? schema);
}
