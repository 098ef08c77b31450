import { paymentKeyHashOf } from '../cardano/scripts/address.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { hasSigningTurn } from './rules/executor-rules.ts';
import { signingTurnEnd } from './rules/signing-turn.ts';
import { type Instant, instant, isoText } from '../platform/units/instant.ts';
import type { Execution } from './queries/executions.ts';
import { firstFreezes } from '../proposals/queries/proposal-executions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { cosignerOf, type ExecutableProposal } from './executable-proposal.ts';
import type { ExecutionInput } from './execution-params.ts';
import { canStillLand } from './frozen-execution.ts';
import type { ExecutionPrefetch } from './prefetch.ts';

/** What another one is to replace. */
interface ReplacedExecution {
  readonly frozen: Execution;
  readonly executable: ExecutableProposal;
  /** The buyer, seller or holder of the new one. */
  readonly partner: string | null;
}

/**
 * Throws EXECUTION_NOT_REPLACEABLE while another wallet has its turn to collect signatures: whoever disagrees could otherwise void them
 * again and again.
 */
export async function requireReplaceable(
  context: TransactionContext,
  { executor }: ExecutionInput,
  { frozen, executable, partner }: ReplacedExecution,
  prefetch: ExecutionPrefetch,
): Promise<void> {
  const { tx, now } = context;
  const freezer = { wallet: frozen.frozenBy, keyHash: paymentKeyHashOf(frozen.frozenBy) };
  if (freezer.keyHash === executor.paymentKeyHash) return;
  const endsAt = await turnEnd(context, executable, freezer.keyHash);
  // Neither has a buyer or seller alone, nor dust, because wallets cost nothing.
  if (now >= endsAt || !hasSigningTurn(await cosignerOf(tx, executable, freezer), executable)) return;
  const isSamePartner = partner === (frozen.partner?.wallet ?? null);
  if (isSamePartner && !(await canStillLand(context, frozen, prefetch))) return;
  throw new ServiceError('EXECUTION_NOT_REPLACEABLE', { frozenBy: freezer.wallet, replaceableFrom: isoText(endsAt) });
}

/** When the turn of a key ends. One key has any number of addresses, and one turn. */
async function turnEnd(
  { tx }: TransactionContext,
  { proposal: { id, phases } }: ExecutableProposal,
  keyHash: string,
): Promise<Instant> {
  if (!phases) throw new Error(`proposal ${id} has no phases`);
  const ofKey = (await firstFreezes(tx, id)).filter(({ wallet }) => paymentKeyHashOf(wallet) === keyHash);
  return signingTurnEnd(instant(Math.min(...ofKey.map(({ at }) => at))), phases.execution);
}
