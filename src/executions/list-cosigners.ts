import { parseWalletAddress } from '../cardano/scripts/address.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import type { Instant } from '../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../platform/units/money.ts';
import { listLargeStakers } from './queries/listed-cosigners.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import type { ServiceContext } from '../context.ts';
import { readerScope } from '../vaults/vault-access.ts';
import { cosigningRules } from './rules/executor-rules.ts';

/** A key that may cosign. */
export interface EligibleCosigner {
  readonly keyHash: string;
  /** Null for a key that the vault registered. */
  readonly wallet: string | null;
  /** The stake that makes it eligible; 0 for a registered key. */
  readonly staked: BaseUnits;
}

type Range = Pick<Page<'staked'>, 'limit' | 'offset' | 'sort'>;
type CosignerRange = { readonly cosigners: readonly EligibleCosigner[]; readonly count: PageCount };

/** Those who may cosign, how many an execution must name, and the decimals of the vault's FT. */
export interface CosignerPage extends CosignerRange {
  readonly required: number;
  readonly ftDecimals: number;
  readonly now: Instant;
}

/** A page of those who may cosign a proposal now. Registered keys have no stake and keep their order. Throws PROPOSAL_NOT_FOUND. */
export async function listCosigners(
  { db, networkId, readingTime }: ServiceContext,
  caller: Caller,
  { proposalId, range }: { readonly proposalId: string; readonly range: Range },
): Promise<CosignerPage> {
  const now = await readingTime();
  const found = await listLargeStakers(db, proposalId, { scope: readerScope(caller), now }, range);
  if (!found) throw new ServiceError('PROPOSAL_NOT_FOUND');
  const { required, registered } = cosigningRules(found);
  const { stakers, total, ftDecimals } = found;
  if (registered.length > 0) return { ...registeredKeys(registered, range), required, ftDecimals, now };
  const cosigners = stakers.map(({ wallet, power }) => {
    return { keyHash: parseWalletAddress(wallet, networkId).paymentKeyHash, wallet, staked: power };
  });
  return { cosigners, count: { total, next: null }, required, ftDecimals, now };
}

function registeredKeys(keyHashes: readonly string[], { limit, offset }: Range): CosignerRange {
  const shown = keyHashes.slice(offset, offset + limit);
  const cosigners = shown.map((keyHash) => ({ keyHash, wallet: null, staked: baseUnits(0n) }));
  return { cosigners, count: { total: keyHashes.length, next: null } };
}
