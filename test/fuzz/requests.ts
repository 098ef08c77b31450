import fc from 'fast-check';
import type { JsonSchema } from '../contract/json-schema.ts';
import { type Operation, type PublishedDocument, referenced } from '../contract/published-document.ts';
import { bodiesAround, type BodyPlan } from './bodies.ts';
import { headerText, hostilePart, hostileValue } from './hostile.ts';
import { Known, known, knownName, valueOf } from './values.ts';

/** Who sends a request: without a key, with a key that is none, with one without roles, as a wallet, as an administrator, or as both. */
export const callers = ['nobody', 'stranger', 'plain', 'wallet', 'admin', 'adminAndWallet'] as const;
export type CallerKind = (typeof callers)[number];

/** A request that is still to be filled in with what exists when it is sent. */
export interface RequestPlan {
  readonly operationId: string;
  readonly method: string;
  /** As published: `/api/v1/vaults/{vaultId}`. */
  readonly path: string;
  /** By name; a text is sent as it is, percent signs too. */
  readonly parameters: Readonly<Record<string, Known | string>>;
  readonly query: readonly (readonly [name: string, value: Known | string])[];
  readonly caller: CallerKind;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyPlan | null;
}

interface Source {
  readonly document: PublishedDocument;
  /** Names of the values that exist. */
  readonly names: ReadonlySet<string>;
  /** Valid bodies by operation. */
  readonly bodies: Readonly<Record<string, readonly unknown[]>>;
}

/** Requests to every operation of the document but those for development, which no deployment has. */
export function requestsTo(source: Source): fc.Arbitrary<RequestPlan> {
  const operations = Object.entries(source.document.paths)
    .filter(([path]) => !path.startsWith('/dev/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => requestTo(source, path, method, operation)),
    );
  return fc.oneof(...operations);
}

const weighted = <Value>(weight: number, usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other });

function requestTo(source: Source, path: string, method: string, operation: Operation): fc.Arbitrary<RequestPlan> {
  const own = fc.constant(method.toUpperCase());
  return fc.record({
    operationId: fc.constant(operation.operationId),
    method: weighted(30, own, fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE', 'TRACE')),
    path: fc.constant(path),
    parameters: parametersOf(source, operation),
    query: queryOf(source, operation),
    caller: weighted(8, fc.constantFrom('admin', 'adminAndWallet', 'wallet'), fc.constantFrom(...callers)),
    headers,
    body: bodyOf(source, operation),
  });
}

function parametersOf({ document, names }: Source, { parameters = [] }: Operation) {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const values = inPath.map(({ name, schema }) => {
    const fitting = valueOf(schema, resolverOf(document), new Set()).map((value) => encodeURIComponent(String(value)));
    const strange: fc.Arbitrary<Known | string> = fc.oneof(fitting, hostilePart);
    return [name, names.has(knownName(name)) ? weighted(9, known(knownName(name)), strange) : strange] as const;
  });
  return fc.record(Object.fromEntries(values));
}

function queryOf({ document, names }: Source, { parameters = [] }: Operation) {
  const declared = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => {
      const fitting = valueOf(schema, resolverOf(document), names, name).map((value) =>
        value instanceof Known ? value : encodeURIComponent(String(value)),
      );
      return fc.tuple(fc.constant(name), weighted<Known | string>(3, fitting, hostilePart));
    });
  const unknown = fc.tuple(hostilePart, hostilePart);
  const none = fc.constant<(readonly [string, Known | string])[]>([]);
  if (declared.length === 0) return weighted(9, none, fc.tuple(unknown));
  const pair = weighted<readonly [string, Known | string]>(15, fc.oneof(...declared), unknown);
  return fc.oneof(none, fc.array(pair, { minLength: 1, maxLength: 3 }));
}

/** Bodies around given ones, around the examples of the document and around what the schema says; seldom where none is expected. */
function bodyOf({ document, names, bodies }: Source, { operationId, requestBody }: Operation) {
  const json = requestBody?.content['application/json'];
  if (!json) return weighted<BodyPlan | null>(15, fc.constant(null), bodiesAround(hostileValue));
  const examples = Object.values(json.examples ?? {}).map(({ value }) => value);
  const samples = [...(bodies[operationId] ?? []), ...examples];
  const drawn = valueOf(json.schema, resolverOf(document), names);
  const skeleton = samples.length === 0 ? drawn : weighted(2, fc.constantFrom(...samples), drawn);
  return weighted<BodyPlan | null>(30, bodiesAround(skeleton), fc.constant(null));
}

function resolverOf(document: PublishedDocument) {
  return (reference: string) => referenced(document, reference) as JsonSchema;
}

const contentTypes = fc.constantFrom(
  ...['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json; charset=utf-16', 'text/plain', ''],
  ...[
    'application/problem+json',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    ';;',
    'a/b/c',
  ],
);
const accepted = fc.constantFrom('application/problem+json', '*/*', 'text/html', 'application/json;q=0', ';;q=x', '');
const encodings = fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'zip', 'gzip, gzip');

/** Few requests have odd headers, and few of those more than one. */
const headers: fc.Arbitrary<Record<string, string>> = fc
  .record({
    accept: sometimes(accepted, 6),
    'content-type': sometimes(contentTypes, 20),
    'content-encoding': sometimes(encodings, 40),
    'idempotency-key': sometimes(fc.oneof(fc.constantFrom('again', 'once more'), headerText), 5),
    'if-match': sometimes(headerText, 12),
    'if-none-match': sometimes(headerText, 12),
    'x-correlation-id': sometimes(headerText, 12),
    'x-api-key': sometimes(headerText, 40),
    authorization: sometimes(
      fc.oneof(
        headerText,
        headerText.map((text) => `Bearer ${text}`),
      ),
      40,
    ),
    'user-agent': sometimes(headerText, 40),
    'x-forwarded-for': sometimes(headerText, 40),
    origin: sometimes(headerText, 40),
    expect: sometimes(fc.constantFrom('100-continue', '200-ok'), 200),
    'x-http-method-override': sometimes(fc.constantFrom('DELETE', 'TRACE'), 100),
  })
  .map(
    (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<string, string>,
  );

/** Null but for about one of so many requests. */
function sometimes(header: fc.Arbitrary<string>, oneOf: number): fc.Arbitrary<string | null> {
  return weighted<string | null>(oneOf - 1, fc.constant(null), header);
}
