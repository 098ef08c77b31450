import { vaultAddresses } from '../../cardano/scripts/vault-addresses.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import type { Ledger } from '../../cardano/ledger/ledger.ts';
import { compareVault } from '../rules/compare-vault.ts';
import { type Difference, lastingDifferences } from '../rules/difference.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { vaultParticipants } from '../../ledger-follower/queries/unsolicited-scan-targets.ts';
import { readVaultBooks } from '../queries/vault-books.ts';
import { getVault } from '../../vaults/queries/vaults.ts';
import { ownPlaces } from '../vault-places.ts';
import { readLedger } from './read-ledger.ts';

/** What comparing the books with the ledger needs. */
export interface ReconcileContext {
  /** Reads in one Postgres transaction that sees one instant. */
  readonly snapshot: <T>(read: (tx: Transaction) => Promise<T>) => Promise<T>;
  readonly ledger: Ledger;
  readonly networkId: NetworkId;
  /** Resolves when a block may have come in between. */
  readonly pause: () => Promise<void>;
}

/** Why a vault cannot be compared, in words for its report. */
export class NotComparable extends Error {
  override readonly name = 'NotComparable';
}

/** A rollback changes the block of the books while the ledger is read. */
const ATTEMPTS = 3;

/** What the books of a vault and the ledger say differently, twice. Throws LEDGER_UNAVAILABLE and NotComparable. */
export async function reconcileVault(context: ReconcileContext, vaultId: string): Promise<Difference[]> {
  const first = await compareOnce(context, vaultId);
  if (first.length === 0) return [];
  await context.pause();
  return lastingDifferences(first, await compareOnce(context, vaultId));
}

async function compareOnce(context: ReconcileContext, vaultId: string): Promise<Difference[]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (attempt > 1) await context.pause();
    const { books, addresses } = await context.snapshot((tx) => readBooks(context, tx, vaultId));
    const ledger = await readLedger(context.ledger, books, addresses);
    if (ledger) return compareVault(books, ledger);
  }
  throw new NotComparable('the ledger has another history than the one that is followed');
}

/** The books, and the addresses that a scan reads or that hold something. */
async function readBooks({ networkId }: Pick<ReconcileContext, 'networkId'>, tx: Transaction, vaultId: string) {
  const vault = await getVault(tx, vaultId);
  const books = await readVaultBooks(tx, vault, ownPlaces(vault, networkId));
  const participants = await vaultParticipants(tx, vaultId, books.block.time);
  const scanned = vaultAddresses(vault, participants, networkId).map(({ address }) => address);
  const holding = books.outputs.filter(({ isSpent }) => !isSpent).map(({ address }) => address);
  return { books, addresses: [...new Set([...scanned, ...holding])] };
}
