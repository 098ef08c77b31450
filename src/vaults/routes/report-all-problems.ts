import { type FieldProblem, ServiceError } from '../../platform/errors/errors.ts';
import { namedTypes } from '../../types/named-types.ts';
import type { ApiContext } from '../../api-context.ts';
import { MAX_PROBLEMS } from '../../platform/http/request-problems.ts';
import type { Route } from '../../platform/http/route.ts';
import { requestedTypes, vaultProblems } from './parse-vault-params.ts';
import { replaceInvalidFields } from './replace-invalid-fields.ts';
import { exampleVault } from './request-example.ts';
import { CreateVault } from './request.ts';

/** Adds the problems that no schema can find to the refusal of a schema: the response lists all of them at once. */
export function reportAllProblems(createVault: Route<ApiContext>): Route<ApiContext> {
  return {
    ...createVault,
    async respond(input, scope, context) {
      try {
        return await createVault.respond(input, scope, context);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'INVALID_VAULT_PARAMS') throw error;
        throw await withDomainProblems(error, input.body, context);
      }
    },
  };
}

async function withDomainProblems(
  refusal: ServiceError,
  body: unknown,
  { db, readingTime, networkId, durationBounds: bounds }: ApiContext,
): Promise<ServiceError> {
  const request = replaceInvalidFields(CreateVault, body, exampleVault);
  if (request === undefined) return refusal;
  const known = refusal.details?.['errors'] as readonly FieldProblem[];
  const knownFields = new Set(known.map(({ field }) => field));
  const types = await namedTypes(db, requestedTypes(request));
  const domainProblems = vaultProblems(request, { now: await readingTime(), networkId, bounds, types });
  const added = domainProblems.filter(({ field }) => !knownFields.has(field));
  return new ServiceError(refusal.code, { errors: [...known, ...added].slice(0, MAX_PROBLEMS) });
}
