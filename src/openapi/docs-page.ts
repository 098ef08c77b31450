import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const GUIDES = fileURLToPath(new URL('../../docs/migrations', import.meta.url));

/** Shows this service's own document; the default would validate it at a server of others. */
const INITIALIZER = `window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#swagger-ui',
    deepLinking: true,
    displayOperationId: true,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    layout: 'StandaloneLayout',
  });
};
`;

/** The page's style sheet holds its icons as `data:`, and one element has a style of its own, which is named by its hash. */
const STYLES = "style-src 'self' 'unsafe-hashes' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** The documentation in a browser, the migration guides, and other pages. Every file comes from this service. */
export function docsPage(otherPages: Router): Router {
  const router = Router();
  router.use((_request, response, next) => {
    const policy = String(response.getHeader('Content-Security-Policy') ?? '');
    response.setHeader('Content-Security-Policy', `${policy};img-src 'self' data:;${STYLES}`);
    next();
  });
  router.get('/swagger-initializer.js', (_request, response) => {
    response.type('text/javascript').send(INITIALIZER);
  });
  router.use(otherPages);
  router.use('/migrations', express.static(GUIDES, { extensions: ['md'], index: false }));
  router.use(express.static(SWAGGER_UI));
  return router;
}
