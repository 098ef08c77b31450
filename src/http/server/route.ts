import { z } from 'zod';
import type { Caller } from '../../domain/identity/caller.ts';
import { type ErrorCode, type FieldProblem, ServiceError } from '../../domain/errors.ts';
import {
  conditionsOf,
  type ResourceAttributes,
  isPermitted,
  couldBePermitted,
  permissionsOf,
  type RequiredPermission,
  walletRoles,
} from '../../domain/identity/permission.ts';
import type { Answer } from './answer.ts';
import type { Idempotency } from './idempotency.ts';
import { replaceInvalidFields } from './replace-invalid-fields.ts';
import { problemsOf, unstorableText } from './request-problems.ts';
import { requestWords } from './request-messages.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** What each status answers with; null is an empty body. Plain JSON types only (notes, stack.md section 3). */
type Responses = Readonly<Record<number, z.ZodType | null>>;

/** What is needed to call a route, and how conditional permissions (VOTER: only ACTIVE vaults) find their facts. */
interface RoutePermission<Params, Context> extends RequiredPermission {
  /** Loads the resource's facts, or `'per row'`: the handler filters rows by `isPermitted` itself. Absent: only unconditional permissions count. */
  readonly facts?: 'per row' | ((params: Params, context: Context, caller: Caller) => Promise<ResourceAttributes>);
}

/** The parts of a route that are read by the router, the OpenAPI document, the permission table and the limiter. */
interface RouteFacts {
  readonly method: Method;
  /** Express form: `/vaults/:vaultId`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** What the summary and the schemas leave open. */
  readonly description?: string;
  /** What there is when it has succeeded; the summary when absent. */
  readonly answers?: string;
  /** Bodies by what they show; published with the operation. */
  readonly examples?: Readonly<Record<string, unknown>>;
  readonly responses: Responses;
  /** Codes of this operation; those every operation shares are added by `errorsOf`. */
  readonly errors: readonly ErrorCode[];
  /** Whether an Idempotency-Key is honoured; every method but GET unless false. */
  readonly idempotent?: boolean;
  /** False only for probes. */
  readonly rateLimited?: boolean;
  /** The code that problems with the request's fields carry; INVALID_REQUEST when absent. */
  readonly invalidCode?: ErrorCode;
}

interface RouteDefinition<
  Context,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answers extends Responses,
> extends RouteFacts {
  readonly permission?: RoutePermission<z.output<Params>, Context>;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly examples?: Readonly<Record<string, z.input<Body>>>;
  readonly responses: Answers;
  /** What no schema can know is wrong with a body; told together with what the schema refuses. */
  readonly judged?: Judgement<Context, Body>;
  handle(
    request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    context: Context,
  ): Promise<AnswerOf<Answers>>;
}

interface Judgement<Context, Body extends z.ZodType> {
  /** Stands in for what the schema refuses, so that the rest can be judged. */
  readonly example: z.input<Body>;
  problems(body: z.output<Body>, context: Context): Promise<readonly FieldProblem[]>;
}

interface RouteRequest<Params, Query, Body> extends RequestScope {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** Everything about a request that is not its input. */
export interface RequestScope {
  readonly caller: Caller;
  readonly correlationId: string;
  readonly idempotency: Idempotency;
}

type AnswerOf<Answers extends Responses> = {
  [Status in keyof Answers & number]: Answer<
    Status,
    Answers[Status] extends z.ZodType ? Constant<z.input<Answers[Status]>> : undefined
  >;
}[keyof Answers & number];

/** Handlers may answer with literals and with values they must not change. */
type Constant<T> = T extends readonly (infer Element)[]
  ? readonly Constant<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Constant<T[Key]> }
    : T;

/** Input as it arrived. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A route whose types are checked and closed: what lists of routes hold. */
export interface Route<Context> extends RouteFacts {
  readonly permission?: RequiredPermission;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** Null when the operation takes no body. */
  readonly body: z.ZodType | null;
  /** Checks permission and input, then handles; throws ServiceError. */
  answer(input: RawInput, circumstances: RequestScope, context: Context): Promise<Answer>;
}

const nothing = z.strictObject({});
type Nothing = typeof nothing;

/** Makes the one function that defines routes over a dependency object `Context`. */
export function routeFor<Context>() {
  return function route<
    const Answers extends Responses,
    Params extends z.ZodType = Nothing,
    Query extends z.ZodType = Nothing,
    Body extends z.ZodType = Nothing,
  >(definition: RouteDefinition<Context, Params, Query, Body, Answers>): Route<Context> {
    const { permission, params, query, body, judged, ...facts } = definition;
    const invalidCode = definition.invalidCode ?? 'INVALID_REQUEST';
    // An absent schema is the empty one, so the defaults of the type parameters hold.
    const schemas = {
      params: (params ?? nothing) as Params,
      query: (query ?? nothing) as Query,
      body: (body ?? nothing) as Body,
    };
    return {
      ...facts,
      ...(permission && { permission: { resource: permission.resource, action: permission.action } }),
      ...schemas,
      body: body ?? null,
      async answer(input, circumstances, context) {
        if (permission) {
          const paramsOnly = async () => (await parse({ params: schemas.params }, input, invalidCode)).params;
          await checkPermission(permission, circumstances.caller, paramsOnly, context);
        }
        const further = async () => {
          if (!judged) return [];
          const rest = replaceInvalidFields(schemas.body, input.body, judged.example);
          return rest === undefined ? [] : judged.problems(rest, context);
        };
        const request = await parse(schemas, input, invalidCode, further);
        return definition.handle({ ...request, ...circumstances }, context);
      },
    };
  };
}

/** Whether a repeated request under the same Idempotency-Key gets the first one's answer. */
export function honoursIdempotencyKey({ method, idempotent }: Pick<RouteFacts, 'method' | 'idempotent'>): boolean {
  return method !== 'get' && idempotent !== false;
}

async function checkPermission<Params, Context>(
  wanted: RoutePermission<Params, Context>,
  caller: Caller,
  params: () => Promise<Params>,
  context: Context,
): Promise<void> {
  const { permissions } = caller;
  if (isPermitted(permissions, wanted)) return;
  const conditional = couldBePermitted(permissions, wanted);
  if (conditional && wanted.facts === 'per row') return;
  if (conditional && typeof wanted.facts === 'function') {
    if (isPermitted(permissions, wanted, await wanted.facts(await params(), context, caller))) return;
  }
  // The same for what is not there: what the caller itself holds, never what the resource is like (design D8).
  const permission = `permission ${wanted.resource}:${wanted.action}`;
  const sessionMay = caller.wallet === null && couldBePermitted(permissionsOf(walletRoles), wanted);
  const required = sessionMay ? `session of a wallet, or ${permission}` : permission;
  const heldOnlyWhere = conditionsOf(permissions, wanted);
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', { required, ...(conditional && { heldOnlyWhere }) });
}

type Part = keyof RawInput;

/** Nobody mends more at once, and an answer must not be many times larger than what was asked. */
const MOST_PROBLEMS = 100;

/** Parses the given parts of a request and reports the problems of all of them at once, the first hundred. */
async function parse<Schemas extends Partial<Record<Part, z.ZodType>>>(
  schemas: Schemas,
  input: RawInput,
  invalidCode: ErrorCode,
  further: () => Promise<readonly FieldProblem[]> = () => Promise.resolve([]),
): Promise<{ [P in keyof Schemas]: z.output<Schemas[P]> }> {
  const problems: FieldProblem[] = [];
  const parsed: Partial<Record<Part, unknown>> = {};
  for (const [part, schema] of Object.entries(schemas) as [Part, z.ZodType][]) {
    const value = input[part];
    const result = schema.safeParse(value, { error: requestWords });
    if (result.success) parsed[part] = result.data;
    problems.push(...unstorableText(value, part), ...problemsOf(result.error?.issues ?? [], value, part));
  }
  if (problems.length > 0) {
    const known = new Set(problems.map(({ field }) => field));
    problems.push(...(await further()).filter(({ field }) => !known.has(field)));
    throw new ServiceError(invalidCode, { errors: problems.slice(0, MOST_PROBLEMS) });
  }
  return parsed as { [P in keyof Schemas]: z.output<Schemas[P]> };
}
