import type { AssetTypeRules } from './asset-type.ts';
import type { FieldProblem } from '../../platform/errors/errors.ts';
import type { ValuationType, VaultTypeRules } from './vault-type.ts';

/** The registered types that a request names, by name; those that do not exist or are retired are missing. */
export interface NamedTypes {
  readonly vaultTypes: ReadonlyMap<string, VaultTypeRules>;
  readonly assetTypes: ReadonlyMap<string, AssetTypeRules>;
}

/** The types of a vault to be created. */
interface RequestedTypes {
  /** Undefined when the request names none. */
  readonly type: string | undefined;
  readonly valuationType: ValuationType;
  readonly assetTypes: readonly string[];
}

const fields = {
  valuationType: 'asset_settings.valuation_type',
  assetTypes: 'asset_settings.allowed_asset_types',
} as const;

/** What keeps a vault from having these types, by field of the request that creates it; `typeField` names its type. */
export function typeProblems(
  requested: RequestedTypes,
  { vaultTypes, assetTypes }: NamedTypes,
  typeField: string,
): FieldProblem[] {
  const { type, valuationType, assetTypes: names } = requested;
  if (type === undefined) return [];
  const rules = vaultTypes.get(type);
  const unknown = names.flatMap((name, position) =>
    assetTypes.has(name) ? [] : [problem(`${fields.assetTypes}.${position}`, 'There is no such asset type', 'asset')],
  );
  if (!rules) return [problem(typeField, 'There is no such vault type', 'vault'), ...unknown];
  const refused = names.flatMap((name, position) =>
    rules.assetTypes.length === 0 || rules.assetTypes.includes(name) || !assetTypes.has(name)
      ? []
      : [refusal(`${fields.assetTypes}.${position}`, `A vault of type ${type} accepts ${rules.assetTypes.join(', ')}`)],
  );
  const isValuedSo = rules.valuationTypes.includes(valuationType);
  const valuation = `A vault of type ${type} is ${rules.valuationTypes.join(' or ')}`;
  return [...unknown, ...refused, ...(isValuedSo ? [] : [refusal(fields.valuationType, valuation)])];
}

function problem(field: string, message: string, kind: 'vault' | 'asset'): FieldProblem {
  return { code: 'VALUE_NOT_ALLOWED', message: `${message}; \`GET /api/v1/${kind}-types\` lists them`, field };
}

function refusal(field: string, message: string): FieldProblem {
  return { code: 'INVALID_VAULT_PARAMS', message, field };
}
