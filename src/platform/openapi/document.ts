import { createDocument, type CreateDocumentOptions, type ZodOpenApiOperationObject } from 'zod-openapi';
import { type ErrorCode, errorRegistry } from '../errors/errors.ts';
import { developmentErrors } from '../errors/development-errors.ts';
import { permissionsOf, walletRoles } from '../../access/rules/roles.ts';
import type { RouteLists } from '../http/app.ts';
import { omitDevelopmentCodes } from '../http/enums.ts';
import { errorDetails } from './error-details.ts';
import { developmentIntroduction, introduction } from './introduction.ts';
import { operationOf } from './operation.ts';
import { describeParameters } from './parameters.ts';
import { tagOf, tagsOf } from './tags.ts';
import type { Access } from './operation-errors.ts';

type Overridden = Parameters<Extract<CreateDocumentOptions['override'], (...input: never[]) => void>>[0];

const prefixes: Readonly<Record<Access, string>> = { api: '/api/v1', dev: '/dev', open: '' };

/** The OpenAPI 3.1 document of all routes. What exists only in development is in it only if there are routes under /dev. */
export function openApiDocument<Context>(
  routes: RouteLists<Context>,
  version: string,
): ReturnType<typeof createDocument> {
  const hasDevelopment = routes.dev.length > 0;
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const access of Object.keys(prefixes) as Access[]) {
    for (const route of routes[access]) {
      const path = prefixes[access] + route.path.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = {
        ...paths[path],
        [route.method]: { tags: [tagOf(path)], ...operationOf(route, access, routes.api) },
      };
    }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Vault Tokenization Service',
        version,
        description: introduction + (hasDevelopment ? developmentIntroduction : ''),
      },
      servers: [{ url: '/' }],
      tags: tagsOf(Object.keys(paths)),
      paths,
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          session: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token that `POST /api/v1/auth/sessions` returns',
          },
        },
      },
      'x-error-codes': describedErrors(hasDevelopment),
      'x-session-permissions': permissionsOf(walletRoles),
    },
    {
      override: (schema) => {
        simplifySchema(schema, hasDevelopment);
      },
    },
  );
  return { ...document, paths: describeParameters(document.paths ?? {}) };
}

function describedErrors(hasDevelopment: boolean) {
  const codes = Object.entries(errorRegistry).filter(([code]) => hasDevelopment || !(code in developmentErrors));
  const described = codes.map(([code, error]) => {
    const details = errorDetails[code as ErrorCode];
    return [code, { ...error, ...(details && { details }) }] as const;
  });
  return Object.fromEntries(described);
}

/**
 * Removes what the document need not say. Responses may get new fields in a minor version, so they do not forbid
 * additional ones; a schema of both requests and responses then becomes one component.
 */
function simplifySchema({ zodSchema, jsonSchema, io }: Overridden, hasDevelopment: boolean): void {
  if (io === 'output' && jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  if (jsonSchema['format'] === 'date-time' || jsonSchema['format'] === 'uuid') delete jsonSchema['pattern'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (!hasDevelopment) omitDevelopmentCodes(zodSchema, jsonSchema);
}
