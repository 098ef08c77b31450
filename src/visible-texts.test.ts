import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Route } from './platform/http/route.ts';
import { apiRoutes } from './routes.ts';

const deceiving = 'https://a.example/Boat\u202egpj';

/**
 * Texts that no other caller reads as they are: addresses, names of assets, CBOR and signatures are parsed into bytes, nonces and
 * requests of a batch go back to their sender.
 */
const parsedLater =
  /(^|\.)(\w*address|\w*addresses|cosigners|\w*_whitelist|clientIds|utxos|asset_?name|proposer|executing_user|\w+_to|signature|key|nonce|witnessSet|requests\..*)(\.\d+)?$/i;

/** The texts of a schema that accept `deceiving`, by path. */
function deceived(schema: z.ZodType, path: string): string[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const inner = innerOf(schema);
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([name, field]) => deceived(field as z.ZodType, at(name)));
  }
  if (inner instanceof z.ZodArray) return deceived(inner.element as z.ZodType, at('0'));
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => deceived(option as z.ZodType, path));
  if (inner instanceof z.ZodRecord) {
    const records = [{ [deceiving]: 'x' }, { name: deceiving }, { name: { list: [deceiving] } }];
    return records.flatMap((record, index) => (schema.safeParse(record).success ? [at(`{${index}}`)] : []));
  }
  const isText = inner instanceof z.ZodString || inner instanceof z.ZodURL || inner instanceof z.ZodUnknown;
  return isText && !parsedLater.test(path) && schema.safeParse(deceiving).success ? [path] : [];
}

/** The schema below defaults and transformations. */
function innerOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return innerOf(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodPipe ? innerOf(schema.in as z.ZodType) : schema;
}

const routes: readonly Pick<Route<never>, 'operationId' | 'body'>[] = Object.values(apiRoutes).flat();
const bodies = routes.flatMap(({ operationId, body }) => (body === null ? [] : [{ operationId, body }]));

test.each(bodies)('no text of a request can deceive others who read it: $operationId', ({ body }) => {
  expect(deceived(body, '')).toEqual([]);
});

test('the walk finds a text that can deceive, wherever it is', () => {
  const text = z.string().max(20).optional();
  const schema = z.strictObject({
    name: text,
    list: z.array(z.strictObject({ note: text })),
    free: z.record(z.string(), z.unknown()),
  });
  expect(deceived(z.strictObject({ ...schema.shape, name: z.string() }), '')).toContain('name');
  expect(deceived(z.strictObject({ free: schema.shape.free.default({}) }), '')).toEqual([
    'free.{0}',
    'free.{1}',
    'free.{2}',
  ]);
});
