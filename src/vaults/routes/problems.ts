import type { z } from 'zod';
import type { ApiContext } from '../../api-context.ts';
import { ServiceError } from '../../platform/errors.ts';
import { MAX_PROBLEMS } from '../../platform/http/parse-request.ts';
import type { Route } from '../../platform/http/route.ts';
import { namedTypes } from '../../types/change-types.ts';
import { requestedTypes, vaultProblems } from './parse-vault.ts';
import { exampleVault, CreateVault } from './request.ts';

/** Adds the problems that no schema can find to the refusal of a schema: the response lists all of them at once. */
export function reportAllProblems(createVault: Route<ApiContext>): Route<ApiContext> {
  return {
    ...createVault,
    async respond(input, scope, context, once) {
      try {
        return await createVault.respond(input, scope, context, once);
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
  const known = refusal.details?.errors ?? [];
  const knownFields = new Set(known.map(({ field }) => field));
  const types = await namedTypes(db, requestedTypes(request));
  const domainProblems = vaultProblems(request, { now: await readingTime(), networkId, bounds, types });
  const added = domainProblems.filter(({ field }) => !knownFields.has(field));
  return new ServiceError(refusal.code, { errors: [...known, ...added].slice(0, MAX_PROBLEMS) });
}

/** A limit on the work for a hostile body: each replacement copies the objects along its path. */
const MAX_REPLACEMENTS = 100;

/**
 * The body with the values of `example` in place of those that the schema refuses, so that the other fields can be checked.
 * Undefined when too many are refused, or when the result is still not valid.
 */
export function replaceInvalidFields<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  example: z.input<Schema>,
): z.output<Schema> | undefined {
  const issues = schema.safeParse(body).error?.issues ?? [];
  const paths = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path],
  );
  if (paths.length > MAX_REPLACEMENTS) return undefined;
  return schema.safeParse(paths.reduce((value, path) => replaceAt(value, path, example), body)).data;
}

/** Copies only the objects along the path. */
function replaceAt(value: unknown, [step, ...rest]: readonly PropertyKey[], example: unknown): unknown {
  if (step === undefined || !isObject(value) || Array.isArray(value)) return example;
  const { [step]: present, ...others } = value;
  const child = replaceAt(present, rest, isObject(example) ? example[step] : undefined);
  return child === undefined ? others : { ...others, [step]: child };
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
