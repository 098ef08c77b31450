import { z } from 'zod';
import type { AuditEntry } from '../../access/queries/audit-log.ts';
import {
  type Caller,
  conditionsOf,
  couldBePermitted,
  isPermitted,
  type RequiredPermission,
  type ResourceAttributes,
  permissionsOf,
  walletRoles,
} from '../../access/rules.ts';
import type { ErrorCode } from '../error-registry.ts';
import { atField, ServiceError } from '../errors.ts';
import { type Precondition, compressed, type SentBody, sentBody } from './bodies.ts';
import type { Dispatch } from './dispatch.ts';
import type { Idempotency } from './idempotency.ts';
import { parseRequest, type RawInput } from './parse-request.ts';
import type { LocalResponse } from './request-locals.ts';
import type { Method, RouteKind } from './route-kinds.ts';

/** Schema of the body by HTTP status; null is an empty body. Plain JSON types only: OpenAPI would show the decoded type of a codec. */
type Responses = Readonly<Record<number, z.ZodType | null>>;

/** The data of a route that the router, the OpenAPI document, the permission table and the rate limiter read. */
interface RouteData {
  readonly method: Method;
  /** In the syntax of express: `/vaults/:vaultId`. */
  readonly path: string;
  readonly operationId: string;
  /** The spec describes the operation: its errors have the HTTP statuses of the spec. */
  readonly specified?: boolean;
  readonly summary: string;
  /** What the summary and the schemas do not say. */
  readonly description?: string;
  /** Description of a successful response; made from the summary if omitted. */
  readonly success?: string;
  /** Request bodies by name, published with the operation. */
  readonly examples?: Readonly<Record<string, unknown>>;
  readonly responses: Responses;
  /** Error codes of this operation; `errorsOf` adds those that all operations share. */
  readonly errors: readonly ErrorCode[];
  /** The field of the body that an error is about, for errors that do not name their fields themselves. */
  readonly errorFields?: Readonly<Partial<Record<ErrorCode, string>>>;
  /** Whether the route accepts If-Match; its handler must check `precondition`. */
  readonly conditional?: boolean;
  /** Largest body in bytes, for a route whose lists need more than the usual 100 kB. */
  readonly bodyLimit?: number;
  /** Code of the error that lists invalid fields; INVALID_REQUEST when absent. */
  readonly invalidCode?: ErrorCode;
}

interface RouteDefinition<
  Context,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Declared extends Responses,
> extends RouteData {
  /** `read` for GET and `change` for other methods when absent. */
  readonly kind?: RouteKind;
  readonly permission: AccessRule<z.output<Params>, Context>;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly examples?: Readonly<Record<string, z.input<Body>>>;
  readonly responses: Declared;
  handle(
    request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    context: Context,
  ): Promise<ResponseOf<Declared>>;
  /** For callers that prefer a stream of server-sent events. */
  readonly stream?: {
    /** The data of each event. */
    readonly event: z.ZodType;
    /** Throws before it writes. */
    send(
      request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
      context: Context,
      response: LocalResponse,
    ): Promise<void>;
  };
}

interface RouteRequest<Params, Query, Body> extends RequestScope {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** What a handler gets from a request besides its input. */
export interface RequestScope {
  readonly caller: Caller;
  readonly correlationId: string;
  readonly idempotency: Idempotency;
  /** For routes that are `conditional`. */
  readonly precondition: Precondition;
  /** The key of a request whose items have keys of their own. */
  readonly idempotencyKey: string | null;
  readonly dispatch: Dispatch;
}

type ResponseOf<Declared extends Responses> = {
  [Status in keyof Declared & number]: RouteResponse<
    Status,
    Declared[Status] extends z.ZodType ? Constant<z.input<Declared[Status]>> : undefined
  >;
}[keyof Declared & number];

/** Lets handlers return literals and readonly values. */
export type Constant<T> = T extends readonly (infer Element)[]
  ? readonly Constant<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Constant<T[Key]> }
    : T;

/** Runs a handler, unless its response is known already. */
export type Once = (handle: () => Promise<RouteResponse>) => Promise<RouteResponse>;

/** A route without the types of its input, so that one list holds all routes. */
export interface Route<Context> extends RouteData {
  readonly kind: RouteKind;
  readonly permission: PublishedRule;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** Null when the operation has no request body. */
  readonly body: z.ZodType | null;
  /** Checks the permission, parses the input and runs the handler, by way of `once` if that is given. Throws ServiceError. */
  respond(input: RawInput, scope: RequestScope, context: Context, once?: Once): Promise<RouteResponse>;
  readonly stream?: {
    readonly event: z.ZodType;
    send(input: RawInput, scope: RequestScope, context: Context, response: LocalResponse): Promise<void>;
  };
}

const noFields = z.strictObject({});
type NoFields = typeof noFields;

/** Returns the function that defines routes whose handlers use `Context`. */
export function routeFor<Context>() {
  return function route<
    const Declared extends Responses,
    Params extends z.ZodType = NoFields,
    Query extends z.ZodType = NoFields,
    Body extends z.ZodType = NoFields,
  >(definition: RouteDefinition<Context, Params, Query, Body, Declared>): Route<Context> {
    const { permission, params, query, body, stream, ...data } = definition;
    const kind = definition.kind ?? (definition.method === 'get' ? 'read' : 'change');
    const invalidCode = definition.invalidCode ?? 'INVALID_REQUEST';
    // The casts hold: the type parameter of an absent schema is NoFields.
    const schemas = {
      params: (params ?? noFields) as Params,
      query: (query ?? noFields) as Query,
      body: (body ?? noFields) as Body,
    };
    const accepted = async (input: RawInput, scope: RequestScope, context: Context) => {
      const parseParams = () => parseRequest({ params: schemas.params }, input, invalidCode).params;
      await checkPermission(permission, scope.caller, parseParams, context);
      return { ...parseRequest(schemas, input, invalidCode, kind), ...scope };
    };
    return {
      ...data,
      kind,
      permission: publishedRule(permission),
      ...schemas,
      body: body ?? null,
      async respond(input, scope, context, once = (handle) => handle()) {
        const request = await accepted(input, scope, context);
        return once(() => namingFields(definition.errorFields ?? {}, definition.handle(request, context)));
      },
      ...(stream && {
        stream: {
          event: stream.event,
          send: async (input, scope, context, response) =>
            stream.send(await accepted(input, scope, context), context, response),
        },
      }),
    };
  };
}

/** Services do not know what a request calls its fields, so the route says which one an error is about. */
async function namingFields<T>(fields: NonNullable<RouteData['errorFields']>, response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    const field = error instanceof ServiceError ? fields[error.code] : undefined;
    throw error instanceof ServiceError && field !== undefined ? atField(error, field) : error;
  }
}

/** The response of an operation: its HTTP status, and its body as it is sent. */
export interface RouteResponse<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token of a session that the response gives to the caller. */
  readonly issuedSession?: string;
  /** `body` as it is sent, for a body that never changes. */
  readonly sent?: SentBody;
  /** Whose personal data it shows, for the audit log: each read is noted. */
  readonly personalDataOf?: AuditEntry['resource'];
}

export const ok = <const Body>(body: Body): RouteResponse<200, Body> => ({ status: 200, body });
/** Every response with this body is the same: it is serialized and compressed now, and not again. */
export const constant = <const Body>(body: Body): RouteResponse<200, Body> => {
  const sent = sentBody(body);
  return { ...ok(body), sent: { ...sent, compressed: compressed(sent.text) } };
};
export const created = <const Body>(body: Body): RouteResponse<201, Body> => ({ status: 201, body });
export const noContent = (): RouteResponse<204, undefined> => ({ status: 204, body: undefined });

/** The permission that a route requires, and how its conditions are checked (a VOTER reads ACTIVE vaults only). */
interface RoutePermission<Params, Context> extends RequiredPermission {
  /**
   * Loads the attributes of the resource that conditions refer to. `'per row'`: the handler filters the rows by
   * `isPermitted`, or checks the one row with `requirePermission`. Absent: only unconditional permissions suffice.
   */
  readonly attributes?: 'per row' | ((params: Params, context: Context, caller: Caller) => Promise<ResourceAttributes>);
}

/** A rule that lets every caller in; the operation itself decides what it shows and does. */
interface Unrestricted {
  /** Why no permission is needed. */
  readonly unrestricted: string;
}

/** Who may call an operation. */
type AccessRule<Params, Context> = RoutePermission<Params, Context> | Unrestricted;

/** An access rule as data. */
export type PublishedRule =
  | Unrestricted
  | (RequiredPermission & {
      /** Whether a permission with conditions can suffice. */
      readonly isConditional: boolean;
    });

function publishedRule<Params, Context>(rule: AccessRule<Params, Context>): PublishedRule {
  if ('unrestricted' in rule) return rule;
  const { resource, action, attributes } = rule;
  return { resource, action, isConditional: attributes !== undefined };
}

/**
 * Throws INSUFFICIENT_PERMISSIONS unless the caller has the permission. The details describe what the caller holds and
 * never the resource, so that a hidden resource and a missing one get the same response (design D8).
 */
export async function checkPermission<Params, Context>(
  required: AccessRule<Params, Context>,
  caller: Caller,
  params: () => Params,
  context: Context,
): Promise<void> {
  if ('unrestricted' in required) return;
  const { permissions } = caller;
  if (isPermitted(permissions, required)) return;
  const { attributes } = required;
  const isConditional = couldBePermitted(permissions, required);
  if (isConditional && attributes === 'per row') return;
  requirePermission(
    required,
    caller,
    isConditional && typeof attributes === 'function' ? await attributes(params(), context, caller) : {},
  );
}

/** Throws INSUFFICIENT_PERMISSIONS unless the caller has the permission for a resource with these attributes, as `checkPermission` does. */
export function requirePermission(
  required: RequiredPermission,
  { permissions, wallet }: Caller,
  attributes: ResourceAttributes,
): void {
  if (isPermitted(permissions, required, attributes)) return;
  const permission = `permission ${required.resource}:${required.action}`;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    required: [...(wallet === null ? sufficientSession(required) : []), permission].join(', or '),
    ...(couldBePermitted(permissions, required) && { heldOnlyWhere: conditionsOf(permissions, required) }),
  });
}

/** The session that would suffice for a key alone. */
function sufficientSession(required: RequiredPermission): string[] {
  const permissions = permissionsOf(walletRoles);
  if (isPermitted(permissions, required)) return ['session of a wallet'];
  return couldBePermitted(permissions, required) ? ['session of the wallet that it belongs to'] : [];
}
