import { cosignersMissing, signaturesMissing } from './rules/cosigners.ts';
import { lockLiveExecution } from '../proposals/queries/proposal-executions.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { ServiceContext } from '../context.ts';
import {
  lockExecutableProposal,
  requireExecutor,
  requirePartner,
  type ExecutionInput,
  planExecution,
  type ExecutionPrefetch,
} from './plan-execution.ts';
import { isReusable, voidReplaced } from './frozen-execution.ts';
import { requireNamedCosigners } from './cosigners.ts';
import { recordExecution } from './record-execution.ts';
import { requireReplaceable } from './execute-proposal.ts';

/**
 * Freezes the transaction that executes a passed proposal, for the cosigners and the action of the request. It replaces the
 * live execution, unless that one is for the same request and can still be confirmed, or `onlyFirst` is set. Throws what
 * `lockExecutableProposal`, `requireNamedCosigners`, `requireExecutor`, `requirePartner`, `requireReplaceable` and the effect throw.
 */
export async function freezeExecution(
  context: TransactionContext,
  settings: ServiceContext,
  input: ExecutionInput,
  prefetch: ExecutionPrefetch,
  onlyFirst = false,
): Promise<void> {
  const { tx } = context;
  const { params, executor } = input;
  const executable = await lockExecutableProposal(context, input.caller, input.proposalId);
  const live = await lockLiveExecution(tx, input.proposalId);
  if (live && onlyFirst) return;
  if (live && (await isReusable(context, settings, input, { frozen: live, executable }, prefetch))) return;
  const plan = await planExecution(context, settings, input, executable, prefetch);
  // A first call of execute freezes too, and reports too few cosigners as missing signatures.
  const tooFew = onlyFirst ? signaturesMissing : cosignersMissing;
  const named = await requireNamedCosigners(tx, executable, params, settings.networkId, tooFew);
  // A buyer or seller with no other part in the proposal may replace only an execution that they froze themselves.
  const partner = live && live.frozenBy !== executor.address ? null : plan.partner;
  await requireExecutor(tx, executable, executor, partner);
  await requirePartner(tx, executable, plan.partner);
  if (live) {
    await requireReplaceable(context, input, { frozen: live, executable, partner: plan.partner }, prefetch);
    await voidReplaced(context, input, live);
  }
  await recordExecution(context, settings, input, { executable, plan, ...named, prefetch });
}
