import { ServiceError } from '../../platform/errors/errors.ts';
import { liquidatedBy } from '../decision.ts';
import { type DecodedTransaction, decodeTransaction, validSignaturesOf } from '../decode-transaction.ts';
import type { EndEvidence, SignedDecision } from '../evidence.ts';
import { signedLiquidations } from '../../proposals/queries/proposal-executions.ts';
import type { Termination } from '../../termination/queries/terminations.ts';
import { readUntrusted } from '../read-untrusted.ts';
import { anchoredFact } from './anchored-facts.ts';
import type { EvidenceContext } from './evidence-context.ts';
import { mintOfTerms } from './landed-mint.ts';
import { shortestPhases } from './shortest-phases.ts';
import { slotsAfter } from './slots-after.ts';
import type { SettledVault } from './vault-evidence.ts';

/** What is known of the end of a vault. Throws LEDGER_UNAVAILABLE. */
export async function gatherEnd(
  context: EvidenceContext,
  settled: SettledVault,
  recipients: Termination,
): Promise<EndEvidence> {
  const mint = await mintOfTerms(context, settled);
  const { id: vaultId, terms, terminationReason, failedBecause } = settled.row;
  const { termination } = terms;
  const reason = terminationReason ?? failedBecause;
  const [endsFromSlot, decision] = await Promise.all([
    termination.type === 'PROGRAMMED' ? slotAfter(context, mint, termination.duration) : null,
    reason === 'liquidated' ? signedDecision(context, settled) : null,
  ]);
  return { vaultId, reason, recipients, terms: termination, endsFromSlot, decision };
}

/** The slot so many seconds after a transaction was in a block. */
async function slotAfter(
  { ledger, networkState }: EvidenceContext,
  { hash }: DecodedTransaction,
  seconds: number,
): Promise<number> {
  const landed = await ledger.transaction(hash);
  const block = landed && (await ledger.block(landed.blockHash));
  if (!block) throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `transaction ${hash} is in no block` });
  return slotsAfter(await networkState(), block.slot, seconds);
}

/**
 * The decision to liquidate the vault. Its key has signed it, as only the worker can when it is justified; a rollback may have taken it from
 * the ledger after the vault began to end. An earlier one may have been lost, and have named others: the one on the ledger counts, or else
 * the newest.
 */
async function signedDecision(
  context: EvidenceContext,
  { row, keyHashes }: SettledVault,
): Promise<SignedDecision | null> {
  const signed = await signedLiquidations(context.db, row.id);
  const decisions = signed.flatMap((bytes) => readUntrusted(bytes, (one) => decisionIn(one, keyHashes)) ?? []);
  const decision = (decisions.length > 1 ? await landedOf(context, decisions) : undefined) ?? decisions[0];
  if (!decision) return null;
  const { proposalId, ttlSlot } = decision;
  const [created, shortest] = await Promise.all([anchoredFact(context, proposalId), shortestPhases(context)]);
  return { proposalId, ttlSlot, created, shortest };
}

interface SignedLiquidation {
  readonly hash: string;
  readonly proposalId: string;
  readonly ttlSlot: number;
}

function decisionIn(signed: string, keyHashes: readonly string[]): SignedLiquidation | null {
  const { ttlSlot, ...transaction } = decodeTransaction(signed);
  const proposalId = liquidatedBy(transaction);
  const isSigned = validSignaturesOf(signed).signers.some((key) => keyHashes.includes(key));
  const isDecision = isSigned && typeof proposalId === 'string' && ttlSlot !== null;
  return isDecision ? { hash: transaction.hash, proposalId, ttlSlot } : null;
}

async function landedOf(
  { ledger }: EvidenceContext,
  decisions: readonly SignedLiquidation[],
): Promise<SignedLiquidation | undefined> {
  const landed = await Promise.all(decisions.map(({ hash }) => ledger.transaction(hash)));
  return decisions.find((_, place) => landed[place] !== null);
}
