import cors from 'cors';
import type { Express, RequestHandler } from 'express';
import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { measuredMethod } from './router.ts';
import type { AddressOf } from './client-address.ts';
import type { Handler } from './request-locals.ts';
import { correlated, isCorrelationId, type Logger, plainLog } from '../observability/logger.ts';
import type { MeasuredRequest } from '../observability/metrics.ts';
import type { Ids } from '../units/ids.ts';
import type { Clock } from '../units/time.ts';

/** Sets the IP address of the request. Express would take it from the headers as it stands there, and again each time. */
export function setAddress(addressOf: AddressOf): Handler {
  return (request, _response, next) => {
    Object.defineProperty(request, 'ip', { value: addressOf(request) });
    next();
  };
}

/** Sets the correlation id of the request, also in the response: the caller's id if it is well-formed, else a new one. */
export function correlate(ids: Ids): Handler {
  return (request, response, next) => {
    const requested = request.get('X-Correlation-Id') ?? '';
    const id = isCorrelationId(requested) ? requested : ids.next();
    response.locals.correlationId = id;
    response.set('X-Correlation-Id', id);
    correlated(id, next);
  };
}

/** Logs one entry for each request that was completed or aborted; never its headers, query or body. */
export function logAccess({ logger, clock }: { logger: Logger; clock: Clock }): Handler {
  const log = plainLog(logger);
  return (request, response, next) => {
    const startedAt = clock.now();
    const { method, path, ip } = request;
    const userAgent = request.get('User-Agent');
    response.on('close', () => {
      const { correlationId, operationId, authentication } = response.locals;
      const apiKeyId = authentication?.kind === 'valid' ? authentication.caller.apiKeyId : undefined;
      const status = response.writableFinished ? response.statusCode : 'aborted';
      const durationMs = clock.now() - startedAt;
      const entry = {
        type: 'REQUEST',
        correlationId,
        method,
        path,
        ip,
        userAgent,
        operationId,
        apiKeyId,
        status,
        durationMs,
      };
      log(entry, `${method} ${operationId ?? 'unknown'} ${status}`);
    });
    next();
  };
}

/** No cache keeps an answer to an API key, which shows what only its caller may see. */
export const keepOutOfCaches: Handler = (request, response, next) => {
  if (request.get('X-API-Key') !== undefined) response.setHeader('Cache-Control', 'private, no-store');
  next();
};

/** The spec's headers ("Authentication" 9) in every response of `app`. Browsers may also connect to `rpcOrigin`, the blockchain endpoint. */
export function securityHeaders({ response: responses }: Pick<Express, 'response'>, rpcOrigin: string): Handler {
  const { [POLICY]: policy = '', ...others } = Object.fromEntries(constantHeaders(rpcOrigin));
  addToEachHead(responses, others);
  // The documentation adds to it.
  return (_request, response, next) => {
    response.setHeader(POLICY, policy);
    next();
  };
}

const POLICY = 'Content-Security-Policy';

/**
 * Writes headers into the head of every response that inherits from `responses`. Node checks, copies and joins each header that is set,
 * which took a tenth of a short response.
 */
function addToEachHead(responses: object, headers: Readonly<Record<string, string>>): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = lines.join('');
  const { _storeHeader: store } = ServerResponse.prototype as unknown as Record<'_storeHeader', StoreHeader>;
  const storeWithHeaders: StoreHeader = function (this: ServerResponse, firstLine, sent) {
    store.call(this, firstLine + text, sent);
  };
  Object.defineProperty(responses, '_storeHeader', { value: storeWithHeaders });
}

/** Of Node: makes the head of a response from its first line and its headers. */
type StoreHeader = (this: ServerResponse, firstLine: string, headers: unknown) => void;

/** What helmet sets in every response; its chain of functions would find the same each time. */
function constantHeaders(rpcOrigin: string): [name: string, value: string][] {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  const setHeaders = helmet({
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true, preload: true },
    referrerPolicy: { policy: 'same-origin' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        connectSrc: ["'self'", rpcOrigin],
        // `default-src` does not stand in for these.
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
  });
  setHeaders(new IncomingMessage(new Socket()), response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error as Error;
  });
  return [...headers];
}

/** An origin that ends in `:*` means every port. */
export function originPattern(origin: string): string | RegExp {
  if (!origin.endsWith(':*')) return origin;
  return new RegExp(`^${RegExp.escape(origin.slice(0, -2))}(:\\d+)?$`);
}

/** Allows pages of these origins to call the API and to read its headers. */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  const answerPages = pagesOf(origins);
  return (request, response, next) => {
    if (request.headers.origin !== undefined || request.method === 'OPTIONS') {
      answerPages(request, response, next);
      return;
    }
    response.setHeader('Vary', 'Origin');
    next();
  };
}

function pagesOf(origins: readonly string[]): RequestHandler {
  return cors({
    origin: origins.map(originPattern),
    allowedHeaders: [
      'Content-Type',
      'X-API-Key',
      'Authorization',
      'X-Correlation-Id',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
    ],
    exposedHeaders: [
      'X-Correlation-Id',
      'Idempotency-Replayed',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'ETag',
      'Deprecation',
      'Sunset',
      'Link',
      'Warning',
      'Allow',
    ],
  });
}

/** Measures every completed or aborted request. */
export function measureRequests(observe: (request: MeasuredRequest) => void): Handler {
  return (request, response, next) => {
    const began = performance.now();
    const method = measuredMethod(request.method);
    response.on('close', () => {
      const status = response.writableFinished ? response.statusCode : null;
      const { route = null, version = null, authentication } = response.locals;
      const apiKeyId = authentication?.kind === 'valid' ? authentication.caller.apiKeyId : null;
      observe({ method, route, status, seconds: (performance.now() - began) / 1000, version, apiKeyId });
    });
    next();
  };
}
