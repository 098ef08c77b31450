import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, Router } from 'express';
import { acceptedForm, compressed, namesTag } from '../http/bodies.ts';

const swaggerUi = (file: string) => createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`);
const viewer = (file: string) => fileURLToPath(new URL(`viewer/${file}`, import.meta.url));
const GUIDES = fileURLToPath(new URL('../../../docs/migrations', import.meta.url));

/** The documentation in a browser, the migration guides, and other pages. Every file comes from this service. */
export function docsPage(otherPages: Router): Router {
  const router = Router();
  // The style sheet of Swagger UI holds its icons as `data:`.
  router.use((_request, response, next) => {
    const policy = String(response.getHeader('Content-Security-Policy') ?? '');
    response.setHeader('Content-Security-Policy', `${policy};img-src 'self' data:`);
    next();
  });
  const page = file('text/html', viewer('index.html'));
  // The page names its files relative to /docs/.
  router.get('/', (request, response, next) => {
    if (request.originalUrl.startsWith('/docs/')) return page(request, response, next);
    response.redirect('/docs/');
  });
  router.get('/viewer.js', file('text/javascript', viewer('viewer.js')));
  router.get('/swagger-ui-bundle.js', file('text/javascript', swaggerUi('swagger-ui-bundle.js')));
  router.get('/swagger-ui.css', file('text/css', swaggerUi('swagger-ui.css')));
  router.get('/favicon-32x32.png', (_request, response) => {
    response.sendFile(swaggerUi('favicon-32x32.png'));
  });
  router.use(otherPages);
  router.use('/migrations', express.static(GUIDES, { extensions: ['md'], index: false }));
  return router;
}

/** Sends a text file, which the first request reads and compresses. */
function file(type: string, path: string): RequestHandler {
  const read = async () => {
    const content = await readFile(path);
    return { tag: `"${hash('sha256', content, 'base64url').slice(0, 27)}"`, body: compressed(content) };
  };
  let content: ReturnType<typeof read> | undefined;
  return async (request, response) => {
    const { tag, body } = await (content ??= read());
    response.setHeader('ETag', tag).setHeader('Cache-Control', 'no-cache');
    if (namesTag(request.get('If-None-Match') ?? '', tag)) {
      response.status(304).end();
      return;
    }
    response.type(type).send(acceptedForm(response, body));
  };
}
