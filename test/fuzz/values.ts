import fc from 'fast-check';
import type { JsonSchema } from '../contract/json-schema.ts';

type Resolve = (reference: string) => JsonSchema;

/** Stands for one of the values that name something that exists. */
export class Known {
  readonly name: string;
  readonly pick: number;

  constructor(name: string, pick: number) {
    this.name = name;
    this.pick = pick;
  }
}

export const known = (name: string): fc.Arbitrary<Known> => fc.nat(1_000).map((pick) => new Known(name, pick));

/** Fields that hold what another name names as well. */
const sameAs: Readonly<Record<string, string>> = {
  proposer: 'address',
  wallet: 'address',
  walletaddress: 'address',
  executinguser: 'address',
  buyeraddress: 'address',
  selleraddress: 'address',
  createdby: 'address',
  addedby: 'address',
  addresses: 'address',
  cosigners: 'address',
  contributorwhitelist: 'address',
  investorwhitelist: 'address',
  policyids: 'policyid',
  affectedassets: 'assetid',
};

/** The name under which values of a field or a path parameter are known. */
export function knownName(field: string): string {
  const name = field.replaceAll(/[^a-z]/gi, '').toLowerCase();
  return sameAs[name] ?? name;
}

/** Values that fit a schema; those of fields whose name is known mostly name something that exists. */
export function valueOf(
  schema: JsonSchema,
  resolve: Resolve,
  names: ReadonlySet<string>,
  field = '',
): fc.Arbitrary<unknown> {
  const name = knownName(field);
  const drawn = drawnFrom(schema, resolve, names, field);
  if (!names.has(name) || !typesOf(schema).includes('string')) return drawn;
  return fc.oneof({ weight: 6, arbitrary: known(name) }, { weight: 1, arbitrary: drawn });
}

function drawnFrom(
  schema: JsonSchema,
  resolve: Resolve,
  names: ReadonlySet<string>,
  field: string,
): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valueOf(resolve(schema.$ref), resolve, names, field);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.properties || typesOf(schema).includes('object')) return objectOf(schema, resolve, names);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return fc.oneof(...branches.map((branch) => valueOf(branch, resolve, names, field)));
  const kinds = typesOf(schema).map((type) => ofType(type, schema, resolve, names, field));
  return kinds.length === 0 ? fc.jsonValue({ maxDepth: 2 }) : fc.oneof(...kinds);
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return type === undefined ? [] : [type].flat();
}

function objectOf(schema: JsonSchema, resolve: Resolve, names: ReadonlySet<string>): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties } = schema;
  if (!properties) {
    const further = typeof additionalProperties === 'object' ? additionalProperties : {};
    return fc.dictionary(fc.string({ maxLength: 10 }), valueOf(further, resolve, names), { maxKeys: 3 });
  }
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, valueOf(field, resolve, names, name)] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

function ofType(
  type: string,
  schema: JsonSchema,
  resolve: Resolve,
  names: ReadonlySet<string>,
  field: string,
): fc.Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return textOf(schema);
  if (type !== 'array') return numberOf(type, schema);
  const { minItems = 0, maxItems = 4 } = schema;
  const items = valueOf(schema.items ?? {}, resolve, names, field);
  return fc.array(items, { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) });
}

function numberOf(type: string, schema: JsonSchema): fc.Arbitrary<number> {
  const { exclusiveMinimum, minimum = exclusiveMinimum ?? -1_000, maximum = Number.MAX_SAFE_INTEGER } = schema;
  if (type === 'integer') return fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) });
  return fc.double({ min: minimum, max: maximum, noNaN: true });
}

function textOf({ pattern, format, minLength = 0, maxLength = 20 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time')
    return fc
      .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((at) => at.toISOString());
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
}
