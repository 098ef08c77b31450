import { requirePlatform } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import { parseWalletAddress } from '../cardano/scripts/address.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { cosignerOf, type ExecutableProposal, type ExecutionParams } from './plan-execution.ts';
import { listLargeStakers } from './queries.ts';
import { type Cosigner, cosignersToSign, requireCosigners, requireNoPlatformKey } from './rules/cosigners.ts';
import { cosigningRules } from './rules/execution.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Instant } from '../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../platform/units/money.ts';
import { readerScope } from '../vaults/require-vault.ts';

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
interface CosignerPage extends CosignerRange {
  readonly required: number;
  readonly ftDecimals: number;
  readonly now: Instant;
}

/** A page of those who may cosign a proposal now. Registered keys have no stake and keep their order. */
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

/** The cosigners of an execution, and how many of them have to sign. */
export interface NamedCosigners {
  readonly cosigners: readonly Cosigner[];
  readonly requiredCosigners: number;
}

/**
 * The cosigners that a request to freeze names. Throws INVALID_ADDRESS, WRONG_NETWORK, COSIGNER_NOT_ELIGIBLE, INVALID_REQUEST for
 * their number, and the error of `tooFew`.
 */
export async function requireNamedCosigners(
  tx: Transaction,
  executable: ExecutableProposal,
  params: Pick<ExecutionParams, 'cosigners' | 'requiredCosigners'>,
  networkId: NetworkId,
  tooFew: Parameters<typeof requireCosigners>[2],
): Promise<NamedCosigners> {
  const rules = cosigningRules(executable);
  const cosigners = requireCosigners(await namedCosigners(tx, executable, params.cosigners, networkId), rules, tooFew);
  const numbers = { requested: params.requiredCosigners, named: cosigners.length };
  return { cosigners, requiredCosigners: cosignersToSign(rules, numbers) };
}

/** The named wallets with their power. Throws INVALID_ADDRESS, WRONG_NETWORK, and COSIGNER_NOT_ELIGIBLE for keys of the platform. */
export async function namedCosigners(
  tx: Transaction,
  executable: ExecutableProposal,
  named: readonly string[],
  networkId: NetworkId,
): Promise<readonly Cosigner[]> {
  const cosigners: Cosigner[] = [];
  for (const [position, text] of named.entries()) {
    const { address: wallet, paymentKeyHash } = parseWalletAddress(text, networkId, `cosigners.${position}`);
    cosigners.push(await cosignerOf(tx, executable, { wallet, keyHash: paymentKeyHash }));
  }
  const { operatorKeyHash } = await requirePlatform(tx);
  requireNoPlatformKey(cosigners, [executable.vault.vaultKeyHash, operatorKeyHash]);
  return cosigners;
}
