import { atField, type ErrorCode, type FieldProblem, ServiceError } from '../../platform/errors/errors.ts';

/** The field that an error without fields is about, in a request that lists assets. */
const fields: Partial<Record<ErrorCode, string>> = {
  ASSET_NOT_WHITELISTED: 'policyId',
  ASSET_IS_REFERENCE_TOKEN: 'assetName',
  ASSET_TYPE_NOT_ALLOWED: 'type',
  VALUATION_METHOD_NOT_ALLOWED: 'valuationMethod',
  ASSET_ALREADY_IN_VAULT: 'assetName',
  ASSET_NOT_IN_WALLET: 'assetName',
  PRICE_UNAVAILABLE: 'assetName',
};

/** The same error with the fields as `assets.<position>.<field>`. An error that is not about an asset stays as it is. */
export function errorOfListedAsset(cause: unknown, position: number): unknown {
  if (!(cause instanceof ServiceError)) return cause;
  const field = fields[cause.code];
  const { code, details } = field === undefined ? cause : atField(cause, field);
  const problems = details?.['errors'] as readonly FieldProblem[] | undefined;
  if (problems === undefined) return cause;
  const errors = problems.map((problem) => ({ ...problem, field: `assets.${position}.${problem.field}` }));
  return new ServiceError(code, { ...details, errors }, { cause });
}
