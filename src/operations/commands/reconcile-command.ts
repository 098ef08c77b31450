import type { Ledger } from '../../cardano/ledger/ledger.ts';
import type { ServiceContext } from '../../context.ts';
import { reconcileNextVaults, startReconciliation, snapshotOf, untilNextBlock } from '../../books/reconciliation.ts';
import { findPlatform } from '../queries.ts';
import { differencesAfter, findReconciliation } from '../../books/queries/reconciliations.ts';
import type { CommandResult } from './command-result.ts';

interface Context extends Pick<ServiceContext, 'db' | 'unitOfWork'> {
  readonly ledger: Ledger | null;
}

/** A block of a public network takes 20 s on average. */
const BLOCK_MS = 20_000;
const PRINTED_AT_ONCE = 100;
const NEXT = 'What to do about each code: docs/operations/runbook.md, "Reconciliation differences".';

/** Compares the books of all vaults with the ledger, stores the report, and prints what differs. Fails when something does. */
export async function reconcileCommand({ ledger, ...context }: Context): Promise<CommandResult> {
  if (!ledger) return { ok: false, output: 'Set LEDGER_URL. The command compares the records with the ledger.' };
  const platform = await findPlatform(context.db);
  if (!platform) return { ok: false, output: 'No worker has used this database yet. Start one first.' };
  const networkId = platform.network === 'mainnet' ? 1 : 0;
  const snapshot = snapshotOf(context.db);
  const pause = () => untilNextBlock(context.db, 2 * BLOCK_MS);
  const causes: string[] = [];
  const onNotCompared = (vaultId: string, error: unknown) => {
    causes.push(`vault ${vaultId} was not compared: ${String(error)}`);
  };
  const comparing = { ...context, ledger, networkId, snapshot, pause, onNotCompared } as const;
  const id = await startReconciliation(context, 'operator');
  while (await reconcileNextVaults(comparing, id));
  const report = await printed(context, id);
  return { ...report, output: [...causes, report.output].join('\n') };
}

async function printed({ db }: Pick<Context, 'db'>, id: string): Promise<CommandResult> {
  const report = await findReconciliation(db, id);
  if (!report) throw new Error(`reconciliation ${id} was deleted`);
  const lines: string[] = [];
  for await (const { vaultId, code, subject, books, ledger } of differencesAfter(db, id, PRINTED_AT_ONCE))
    lines.push(`${code} vault ${vaultId} ${subject}\n  books: ${books}\n  ledger: ${ledger}`);
  const { correctness, completeness } = report.differences;
  const count = correctness + completeness;
  const summary = `${report.vaults} vaults, ${count} differences (correctness: ${correctness}, completeness: ${completeness}), report ${id}`;
  return { ok: count === 0, output: [...lines, summary, ...(count > 0 ? [NEXT] : [])].join('\n') };
}
