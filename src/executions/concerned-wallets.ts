import type { NewExecution } from './queries/executions.ts';

/** The wallets that have a part in an execution: who froze it, its cosigners, and its partner. */
export function concernedWallets({
  frozenBy,
  cosigners,
  partner,
}: Pick<NewExecution, 'frozenBy' | 'cosigners' | 'partner'>): string[] {
  const signers = [...cosigners, ...(partner ? [partner] : [])].map(({ wallet }) => wallet);
  return [...new Set([frozenBy, ...signers])];
}
