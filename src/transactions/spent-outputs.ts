import type { LedgerInput } from '../cardano/build/preflight.ts';
import { type UtxoRef, refText } from './rules.ts';
import { decodeOutputs, readUntrusted } from '../signing-policy/decoder.ts';
import { recordedBytes } from './queries/transactions.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * The outputs that a transaction spends, by reference, as the transactions that made them say: the bytes of recorded ones, which their
 * hashes prove, and of others what the ledger says. One that neither knows is left out.
 */
export async function spentOutputs(
  { db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>,
  inputs: readonly UtxoRef[],
): Promise<ReadonlyMap<string, LedgerInput>> {
  const hashes = [...new Set(inputs.map(({ txHash }) => txHash))];
  const made = new Map((await recordedBytes(db, hashes)).flatMap(outputsOf));
  for (const hash of hashes.filter((one) => !made.has(one)))
    made.set(hash, (await ledger.transactionUtxos(hash))?.outputs ?? []);
  return new Map(
    [...made].flatMap(([txHash, outputs]) =>
      outputs.map((output) => [refText({ txHash, index: output.index }), { ...output, txHash }] as const),
    ),
  );
}

/** The addresses that each transaction pays, by its hash. */
export function paidAddresses(made: ReadonlyMap<string, LedgerInput>): ReadonlyMap<string, readonly string[]> {
  const byHash = Map.groupBy(made.values(), ({ txHash }) => txHash);
  return new Map([...byHash].map(([hash, outputs]) => [hash, outputs.map(({ address }) => address)]));
}

/** The outputs of a transaction by its own hash, whatever the row says that holds its bytes; nothing for other bytes. */
function outputsOf(bytes: string): (readonly [string, readonly Omit<LedgerInput, 'txHash'>[]])[] {
  const made = readUntrusted(bytes, decodeOutputs);
  // The ledger rules are checked without the datums of inputs, on which no script of ours depends.
  return made ? [[made.hash, made.outputs.map(({ datum: _, ...output }, index) => ({ ...output, index }))]] : [];
}
