import { secretsInResponse } from '../secrets/secrets-in.ts';
import { differences, type JsonSchema } from './json-schema.ts';
import {
  type Operation,
  operationOf,
  type PublishedDocument,
  type PublishedHeader,
  type PublishedResponse,
  referenced,
} from './published-document.ts';

/** A request and its response. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Text of the request's body; null when there is none or when it is no text. */
  readonly sent: string | null;
  readonly hasKey: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Headers of HTTP itself, of security and of caches, and those of every response to a deprecated version: no operation lists them. */
const GENERAL_HEADERS = new Set(
  [
    ['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
    ['accept-ranges', 'allow', 'cache-control', 'last-modified', 'origin-agent-cluster', 'vary'],
    ['access-control-allow-origin', 'access-control-expose-headers'],
    ['content-security-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy', 'referrer-policy'],
    ['strict-transport-security', 'x-content-type-options', 'x-dns-prefetch-control', 'x-download-options'],
    ['x-frame-options', 'x-permitted-cross-domain-policies', 'x-xss-protection'],
    ['deprecation', 'sunset', 'link', 'warning'],
  ].flat(),
);

/** Files for browsers, and the answer to a browser that asks before it sends: neither is JSON. */
const isStatic = ({ method, path }: Exchange) => method === 'OPTIONS' || /^\/(docs|images)(\/|$)/.test(path);

/** The document has examples of everything. */
const hasExamples = ({ path, status }: Exchange) => status < 400 && path.startsWith('/openapi.json');

/** What is in a response and is not published, is published and not in it, or is a secret; empty when all is well. */
export function responseProblems(document: PublishedDocument, exchange: Exchange): string[] {
  if (isStatic(exchange)) return [];
  const secrets = hasExamples(exchange) ? [] : secretsInResponse(exchange);
  return [
    ...secrets.map((kind) => `it holds a secret: ${kind}`),
    ...cacheProblems(exchange),
    ...contractProblems(document, exchange),
  ];
}

/** No cache may keep an answer to a key. */
function cacheProblems({ hasKey, headers }: Exchange): string[] {
  const directives = headers.get('cache-control') ?? 'nothing';
  return hasKey && !directives.startsWith('private, no-store') ? [`caches are told ${directives}`] : [];
}

function contractProblems(document: PublishedDocument, exchange: Exchange): string[] {
  const path = exchange.path.split('?')[0] ?? '';
  const operation = operationOf(document, exchange.method, path);
  if (!operation) return problemsWithoutOperation(document, exchange);
  const published = operation.responses[exchange.status];
  if (!published) return [`${operation.operationId} does not publish the status`];
  return [
    ...headerProblems(document, published, exchange.headers),
    ...bodyProblems(document, published, exchange),
    ...(operation.operationId === 'sendBatch' && exchange.status === 200 ? itemProblems(document, exchange) : []),
  ];
}

/** A request that reaches no operation is refused like any other one. */
function problemsWithoutOperation(document: PublishedDocument, exchange: Exchange): string[] {
  if (exchange.status < 400) return ['there is no such operation'];
  const content = {
    'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  };
  return bodyProblems(document, { content }, exchange);
}

function headerProblems(document: PublishedDocument, { headers = {} }: PublishedResponse, sent: Headers): string[] {
  const resolved = (header: PublishedHeader) =>
    header.$ref === undefined ? header : (referenced(document, header.$ref) as PublishedHeader);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const missing = Object.entries(headers).filter(([name, header]) => resolved(header).required && !sent.has(name));
  const unknown = [...sent.keys()].filter((name) => !names.includes(name) && !GENERAL_HEADERS.has(name));
  return [
    ...missing.map(([name]) => `the header ${name} is missing`),
    ...unknown.map((name) => `the header ${name} is not published`),
  ];
}

function bodyProblems(document: PublishedDocument, published: PublishedResponse, exchange: Exchange): string[] {
  const { method, status, headers, text } = exchange;
  const type = headers.get('content-type');
  if (method === 'HEAD' || !published.content) return text === '' ? [] : ['a body is not published'];
  const media = type?.replace(/;\s*charset=utf-8$/i, '') ?? 'none';
  const schema = published.content[media]?.schema;
  if (!schema) return [`the content type ${media} is not published`];
  const body = JSON.parse(text) as unknown;
  const found = schemaProblems(document, schema, body);
  return status < 400 || found.length > 0 ? found : errorProblems(document, published, status, body);
}

function schemaProblems(document: PublishedDocument, schema: JsonSchema, body: unknown): string[] {
  return differences(schema, body, (reference) => referenced(document, reference) as JsonSchema);
}

interface ErrorFields {
  readonly type: string;
  readonly code: string;
  readonly details?: object;
}

/** The registry publishes the type and the details of each code, the operation with which status it is returned. */
function errorProblems(document: PublishedDocument, published: PublishedResponse, status: number, body: unknown) {
  const { code, type, details = {} } = (body as { error?: ErrorFields }).error ?? (body as ErrorFields);
  const registered = document['x-error-codes'][code];
  if (!registered) return [`the code ${code} is not registered`];
  const isListed = published['x-codes']?.includes(code) ?? status === registered.status;
  const isTyped = type === registered.type || type === `urn:vts:error:${code}`;
  const known = ['errors', ...Object.keys(registered.details ?? {})];
  return [
    ...(isListed ? [] : [`the code ${code} is not published for this status`]),
    ...(isTyped ? [] : [`${code} has the type ${registered.type}`]),
    ...Object.keys(details)
      .filter((name) => !known.includes(name))
      .map((name) => `details.${name} of ${code} is not published`),
  ];
}

interface Item {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}
interface Result {
  readonly id: string;
  readonly httpStatus: number;
  readonly data?: unknown;
  readonly error?: object;
}

/** Each result of a batch is as published by the operation of its item. */
function itemProblems(document: PublishedDocument, { sent, text }: Exchange): string[] {
  // The service passes over a byte order mark, as RFC 8259 allows.
  const { requests } = JSON.parse(sent?.replace(/^\uFEFF/, '') ?? '') as { requests: readonly Item[] };
  const { results } = JSON.parse(text) as { results: readonly Result[] };
  return results.flatMap((result, index) => {
    const { method = '', path = '' } = requests[index] ?? {};
    const operation = operationOf(document, method.toUpperCase(), path.split('?')[0] ?? '');
    return resultProblems(document, operation, result).map((problem) => `result ${index}: ${problem}`);
  });
}

function resultProblems(
  document: PublishedDocument,
  operation: Operation | undefined,
  { httpStatus, data, error }: Result,
): string[] {
  const published = operation ? operation.responses[httpStatus] : {};
  if (!published) return [`the status ${httpStatus} is not published`];
  if (error) return errorProblems(document, published, httpStatus, { status: 'error', error });
  const schema = published.content?.['application/json']?.schema ?? { type: 'null' };
  return schemaProblems(document, schema, data);
}
