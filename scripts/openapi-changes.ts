import { compareSchemas, type Direction, type Schema, type Schemas } from './openapi-schema-changes.ts';

/** The parts of an OpenAPI document that a client depends on. */
export interface ApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Schemas;
    readonly securitySchemes?: Readonly<Record<string, object>>;
  };
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, Response>>;
  /** Each alternative names the credentials that it needs together. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-permission'?: { readonly resource: string; readonly action: string };
}

interface Response {
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, unknown>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** One line for each change that can break a client of the old document (spec, "Versioning" 3); empty when there is none. */
export function breakingChanges(old: ApiDocument, current: ApiDocument): string[] {
  const operations = operationsOf(old).flatMap(([name, operation]) => {
    const same = operationsOf(current).find(([other]) => other === name)?.[1];
    return same ? operationChanges(name, [old, operation], [current, same]) : [`${name} is removed`];
  });
  return [...schemeChanges(old, current), ...operations];
}

function schemeChanges(old: ApiDocument, current: ApiDocument): string[] {
  const contract = ({ description: _of, ...scheme }: { readonly description?: string }) => JSON.stringify(scheme);
  return Object.entries(old.components?.securitySchemes ?? {})
    .filter(([name, scheme]) => {
      const same = current.components?.securitySchemes?.[name];
      return !same || contract(same) !== contract(scheme);
    })
    .map(([name]) => `the authentication ${name} has changed`);
}

function operationsOf({ paths = {} }: ApiDocument): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

type Side<Part> = readonly [ApiDocument, Part];
type Compare = (direction: Direction, at: string, one?: Schema, other?: Schema) => string[];

function operationChanges(name: string, [old, before]: Side<Operation>, [current, after]: Side<Operation>): string[] {
  const schemas = { old: old.components?.schemas ?? {}, current: current.components?.schemas ?? {} };
  const compare: Compare = (direction, at, one, other) =>
    one && other ? compareSchemas({ direction, ...schemas }, `${name} ${at}`, one, other) : [];
  const body = compare('request', 'body', jsonOf(before.requestBody), jsonOf(after.requestBody));
  const needsBody = !before.requestBody && after.requestBody ? [`${name} needs a body`] : [];
  return [
    ...accessChanges(name, before, after),
    ...parameterChanges(name, compare, before, after),
    ...needsBody,
    ...(after.requestBody ? contentChanges(`${name} body`, before.requestBody, after.requestBody) : []),
    ...body,
    ...responseChanges(name, compare, before, after),
  ];
}

/** A caller that had access keeps it: with the same credentials, and with the same permission or none. */
function accessChanges(name: string, before: Operation, after: Operation): string[] {
  const sufficient = (after.security ?? []).map((alternative) => new Set(Object.keys(alternative)));
  const refused = (before.security ?? [])
    .map((alternative) => new Set(Object.keys(alternative)))
    .filter((given) => sufficient.length > 0 && !sufficient.some((needed) => needed.isSubsetOf(given)));
  const newlySecured =
    (before.security ?? []).length === 0 && sufficient.length > 0 ? [`${name} needs authentication`] : [];
  const text = ({ 'x-permission': permission }: Operation) =>
    permission && `${permission.resource}:${permission.action}`;
  const [was, is] = [text(before), text(after)];
  return [
    ...newlySecured,
    ...refused.map((given) => `${name} is refused with ${[...given].join(' and ')}`),
    ...(is !== undefined && was !== is ? [`${name} needed permission ${was ?? 'none'} and needs ${is}`] : []),
  ];
}

function parameterChanges(name: string, compare: Compare, before: Operation, after: Operation): string[] {
  const present = (after.parameters ?? []).flatMap((parameter) => {
    const known = before.parameters?.find((one) => one.name === parameter.name && one.in === parameter.in);
    if (parameter.required && !known?.required)
      return [`${name} needs the ${known ? '' : 'new '}parameter ${parameter.name}`];
    return compare('request', parameter.name, known?.schema, parameter.schema);
  });
  const removed = (before.parameters ?? [])
    .filter((one) => !after.parameters?.some((other) => one.name === other.name && one.in === other.in))
    .map((one) => `${name} lacks the parameter ${one.name}`);
  return [...present, ...removed];
}

function responseChanges(name: string, compare: Compare, before: Operation, after: Operation): string[] {
  return Object.entries(before.responses ?? {}).flatMap(([status, response]) => {
    const same = after.responses?.[status];
    if (!same) return status.startsWith('2') ? [`${name} no longer returns ${status}`] : [];
    const headers = Object.keys(response.headers ?? {})
      .filter((header) => !(header in (same.headers ?? {})))
      .map((header) => `${name} ${status} lacks the header ${header}`);
    const fields = compare('response', status, jsonOf(response), jsonOf(same));
    return [...headers, ...contentChanges(`${name} ${status}`, response, same), ...fields];
  });
}

interface Part {
  readonly content?: Content;
}

function contentChanges(at: string, before: Part | undefined, after: Part): string[] {
  return Object.keys(before?.content ?? {})
    .filter((type) => !(type in (after.content ?? {})))
    .map((type) => `${at} is no longer ${type}`);
}

function jsonOf(part: Part | undefined): Schema | undefined {
  return part?.content?.['application/json']?.schema;
}
