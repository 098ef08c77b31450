import { type AssetClass, type AssetType, isCntQuantity, isUnique } from './asset.ts';
import { customPriceOf } from './custom-price.ts';
import type { Price } from './valuation.ts';
import { fieldError, ServiceError } from '../errors.ts';
import { type BaseUnits, baseUnits } from '../units/money.ts';
import { parseTokenAmount } from '../units/token-amount.ts';
import type { VaultTerms } from '../vault/vault.ts';
import { type ValuationMethod, valuationMethodOf } from './valuation-method.ts';

/** An asset that somebody wants to add, before its price is known. */
export interface AssetParams extends AssetClass {
  readonly type: AssetType;
  /** Whether the request names the type. */
  readonly isTypeNamed: boolean;
  /** Undefined when the request does not name it. */
  readonly valuationMethod: ValuationMethod | undefined;
  /** Whole tokens; an NFT may leave it out. */
  readonly quantity: number | string | undefined;
  /** With the field names of the Asset resource (design D10b). */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The asset with the type that its supply on the ledger allows (design D42): one base unit of an edition is a CNT. The supply is
 * null while the ledger does not know the asset. Throws INVALID_QUANTITY when the request says that an edition is an NFT.
 */
export function withTypeOnLedger(params: AssetParams, supply: bigint | null, { decimals }: Price): AssetParams {
  if (params.type === 'CNT' || supply === null || isUnique(supply) || decimals > 0) return params;
  if (params.isTypeNamed) {
    throw fieldError('INVALID_QUANTITY', 'type', `An NFT is an asset of supply 1; this one has a supply of ${supply}`);
  }
  const valuationMethod = params.valuationMethod === 'custom' ? 'custom' : undefined;
  return { ...params, type: 'CNT', valuationMethod, quantity: 1 };
}

/**
 * How a vault values the asset: by the price that its admin has set, or else by the market. Throws VALUATION_METHOD_NOT_ALLOWED when
 * the request names another method.
 */
export function valuationMethodIn(terms: Pick<VaultTerms, 'customPrices'>, params: AssetParams): ValuationMethod {
  const method = customPriceOf(terms, params) ? 'custom' : valuationMethodOf(params.type);
  if (params.valuationMethod !== undefined && params.valuationMethod !== method)
    throw new ServiceError('VALUATION_METHOD_NOT_ALLOWED', { method: params.valuationMethod, allowed: [method] });
  return method;
}

/** The quantity in base units, with the decimals of the price source. Throws INVALID_QUANTITY. */
export function parseQuantity({ type, quantity }: AssetParams, { decimals }: Price): BaseUnits {
  const invalid = (message: string) => fieldError('INVALID_QUANTITY', 'quantity', message);
  if (type === 'NFT') {
    // One base unit of a fungible asset would be valued as a whole token.
    if (decimals > 0) throw fieldError('INVALID_QUANTITY', 'type', `An asset with ${decimals} decimals is not an NFT`);
    if (quantity !== undefined && parseTokenAmount(quantity, 0) !== 1n) throw invalid('The quantity of an NFT is 1');
    return baseUnits(1n);
  }
  const units = quantity === undefined ? undefined : parseTokenAmount(quantity, decimals);
  if (units === undefined) throw invalid(`A CNT needs a quantity; this one has ${decimals} decimals`);
  if (!isCntQuantity(units, decimals)) throw invalid('The quantity of a CNT is 1 to 1,000,000 whole tokens');
  return units;
}
