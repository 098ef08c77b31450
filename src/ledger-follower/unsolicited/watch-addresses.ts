import { readPaymentAddress, readPaymentKeyHash } from '../../cardano/scripts/address.ts';
import { vaultAddresses } from '../../cardano/scripts/vault-addresses.ts';
import type { TransactionKind } from '../../transactions/rules/transaction-state.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import {
  type AddressSource,
  nextAddressSources,
  readAgainFrom,
  setWatchedUntil,
  watchAddresses,
  type WatchedAddress,
} from '../queries/address-news.ts';
import { decodeRow, decodeRows } from '../../platform/database/decode-rows.ts';
import { vaultRows } from '../queries/unsolicited-scan-targets.ts';
import { readVault, type VaultRow } from '../../vaults/queries/vaults.ts';
import type { WorkerContext } from '../../worker-context.ts';

const AT_ONCE = 500;
/** A transaction is recorded with the time at which its request began: it can appear so much later. */
const LATE_SECONDS = 600;
/** After a clock was ahead so much is read again; what is older is watched when the pass over all vaults comes to it. */
const READ_AGAIN_SECONDS = 86_400;

/** Those that bring an address of a depositor or a stake. */
const placeOf: Partial<Record<TransactionKind, 'deposit' | 'stake'>> = {
  add_asset: 'deposit',
  invest: 'deposit',
  stake: 'stake',
};
/** And those after which a vault has addresses of its own, at first or anew. */
const ofVaults: readonly TransactionKind[] = ['create_vault', 'move_custody'];
const kinds = [...(Object.keys(placeOf) as TransactionKind[]), ...ofVaults];

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'networkId' | 'onUnreadable'>;

/** Watches the addresses that vaults, their depositors and stakes have got since the last scan. */
export async function watchNewAddresses(context: Context, now: Instant, isTimeUp: () => boolean): Promise<void> {
  const end = secondsAfter(now, -LATE_SECONDS);
  await readAgainFrom(context.db, new Date(secondsAfter(end, -READ_AGAIN_SECONDS)), { ifReached: new Date(end) });
  let before = 0;
  while (!isTimeUp()) {
    const sources = await nextAddressSources(context.db, kinds, AT_ONCE);
    const until = reachedBy(sources, end);
    const addresses = [...addressesOf(sources, context), ...(await ownAddresses(context, sources))];
    await context.unitOfWork(async ({ tx }) => {
      await watchAddresses(tx, addresses);
      await setWatchedUntil(tx, new Date(until));
    });
    if (sources.length < AT_ONCE || until <= before) return;
    before = until;
  }
}

/** The time up to which nothing is missing: of a kind with more transactions that of the last one. */
function reachedBy(sources: readonly AddressSource[], end: number): number {
  const lasts = kinds.map((kind) => {
    const ofKind = sources.filter((one) => one.kind === kind);
    return ofKind.length < AT_ONCE ? end : Number(ofKind.at(-1)?.createdAt);
  });
  return Math.min(...lasts);
}

function addressesOf(sources: readonly AddressSource[], { networkId }: Pick<Context, 'networkId'>): WatchedAddress[] {
  return sources.flatMap(({ kind: made, vaultId, wallet, addresses }) => {
    const kind = placeOf[made];
    if (kind === undefined) return [];
    const depositor = kind === 'deposit' ? wallet : null;
    // The rest of its outputs are the wallet's own, or were damaged.
    const scripts = addresses.filter(
      (address) => readPaymentKeyHash(address) === undefined && readPaymentAddress(address, networkId) !== undefined,
    );
    return scripts.map((address) => ({ kind, address, vaultId, depositor }));
  });
}

/** Those of a vault that cannot be read, or whose keys are none, are watched from the next pass over all vaults on, once it is mended. */
async function ownAddresses(
  { db, networkId, onUnreadable }: Context,
  sources: readonly AddressSource[],
): Promise<WatchedAddress[]> {
  const ids = new Set(sources.filter(({ kind }) => ofVaults.includes(kind)).map(({ vaultId }) => vaultId));
  const nobody = { depositors: [], stakeAddresses: [] };
  const addressesOfVault = (row: VaultRow) =>
    decodeRow('vaults', row.id, () =>
      vaultAddresses(readVault(row), nobody, networkId).map((place) => ({ ...place, vaultId: row.id })),
    );
  return decodeRows(await vaultRows(db, [...ids]), addressesOfVault, onUnreadable).flat();
}
