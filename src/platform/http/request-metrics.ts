import type { MeasuredRequest } from '../observability/metrics.ts';
import { measuredMethod } from './allowed-methods.ts';
import type { Handler } from './request-locals.ts';

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
