import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { instant, wallClock } from '../../src/platform/units/time.ts';
import { recordConfirmation } from '../../src/ledger-follower/effects/record-confirmation.ts';
import { quarantining } from '../../src/ledger-follower/effects.ts';
import type { WorkerContext } from '../../src/worker-context.ts';
import { findTransactionByHash, lockTransaction } from '../../src/transactions/queries/transactions.ts';
import type { StateChange } from '../../src/transactions/queries/changes.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import { followerOf } from '../follower/follower-service.ts';
import { signAsPlatform } from '../follower/sign-as-platform.ts';
import type { ApiService } from '../vaults/api-service.ts';

type WithDatabase = Pick<ApiService, 'db'>;
type WithKeys = Pick<ApiService, 'db' | 'keys'>;

const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
const block = { height: 7, hash: '7'.repeat(64), slot: 7, time: instant(0) };

/** What was quarantined meanwhile. */
export const quarantined: unknown[] = [];

/** As the worker has it, for services that only need that. */
export function unitOfWorkOf({ db }: WithDatabase) {
  return { unitOfWork: createUnitOfWork(db, productionClock(wallClock), ids) };
}

/** What the steps of the end of a vault need until they record something. */
export function endingContextOf(service: ApiService): WorkerContext {
  const { db, keys } = service;
  const { context } = followerOf(service);
  const networkState = createNetworkStateCache({ ledger: context.ledger, networkId: 0 });
  const readingTime = () => Promise.resolve(wallClock.now());
  return { ...context, db, keys, ids, networkState, readingTime, networkId: 0 } as unknown as WorkerContext;
}

/** Records what the ledger, or its silence, does with a transaction. */
export async function record(service: WithKeys, hash: string, change: StateChange): Promise<void> {
  const recorded = await findTransactionByHash(service.db, hash);
  if (recorded && change.to === 'confirmed') await signAsPlatform(service, recorded);
  const id = recorded?.id ?? '';
  await unitOfWorkOf(service).unitOfWork(async (context) => {
    const transaction = await lockTransaction(context.tx, id);
    if (!transaction) throw new Error(`${hash} is not recorded`);
    const move = quarantining((_, __, error) => quarantined.push(error));
    const onSignatureRefused = (_: unknown, reason: string) => quarantined.push(reason);
    const confirmation = { move, networkId: 0, onSignatureRefused } as const;
    if (change.to === 'confirmed') await recordConfirmation(context, transaction, block, confirmation);
    else await move(context, transaction, change);
  });
}
