import { blake2b256 } from '../../cardano/blake2b.ts';
import { ServiceError } from '../../platform/errors.ts';
import { evictOldest } from '../../platform/async.ts';
import { commitmentToTerms, type CommittedTerms } from '../../settlement/rules/plan-commitment.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';
import { requireCommittedPlan } from '../mint.ts';
import { type DecodedTransaction, decodeTransaction, readUntrusted } from '../decoder.ts';
import { assertAllowed } from '../policy.ts';
import { vaultTransactions } from '../../transactions/queries/listed-transactions.ts';
import { type EvidenceContext, isMintedBy, type SettledVault } from './vault.ts';

/** What the ledger is asked of a mint with. */
export type MintContext = Pick<EvidenceContext, 'db' | 'ledger'>;

/** Of a process: some 2 MB. */
const MAX_REMEMBERED = 1_000;

/** Mints by their token: its policy ended with the mint, and the worker signs one for each vault. */
const remembered = new Map<string, DecodedTransaction>();

/** The transaction on the ledger that has minted a vault's token. */
export async function confirmedMint(
  { db, ledger }: MintContext,
  { row, vault, ftUnit }: SettledVault,
): Promise<DecodedTransaction> {
  const known = remembered.get(ftUnit);
  if (known) return known;
  const mints = await vaultTransactions(db, row.id, ['mint']);
  for (const { hash } of mints.filter((mint) => isMintedBy(vault, ftUnit, mint))) {
    const mint = readUntrusted(await ledger.transactionCbor(hash), decodeTransaction);
    if (mint?.hash !== hash || (mint.mint.get(ftUnit) ?? 0n) <= 0n) continue;
    remembered.set(ftUnit, mint);
    evictOldest(remembered, MAX_REMEMBERED);
    return mint;
  }
  throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the mint of vault ${row.id} is in no block yet` });
}

/** The tokens that there are: of the mint, or more where another worker signed a second one. */
export async function mintedSupply(context: MintContext, settled: SettledVault): Promise<bigint> {
  const { ftUnit } = settled;
  const [{ mint }, found] = await Promise.all([confirmedMint(context, settled), context.ledger.assetSupply(ftUnit)]);
  if (found === null) throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `it does not know ${ftUnit} yet` });
  const minted = mint.get(ftUnit) ?? 0n;
  return found > minted ? found : minted;
}

export function committedTermsOf(terms: VaultTerms): CommittedTerms {
  const { ftSupply: supply, ftPercentage, lpPercentage, termination } = terms;
  return { supply, ftPercentage, lpPercentage, termination };
}

/** The mint on the ledger, which has committed to the terms of the vault's row. */
export async function mintOfTerms(context: MintContext, settled: SettledVault): Promise<DecodedTransaction> {
  const mint = await confirmedMint(context, settled);
  const committed = requireCommittedPlan(mint);
  const terms = commitmentToTerms(blake2b256, committedTermsOf(settled.row.terms));
  assertAllowed(committed.terms === terms, 'the mint has committed to other terms');
  return mint;
}
