import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { createLedger, type Ledger } from '../../src/cardano/ledger/ledger.ts';
import { defaultImage } from '../../src/cardano/tokens/picture.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { prepareCreation } from '../../src/vaults/create-vault.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import { keys } from '../chain/sample-context.ts';
import { unboundedBudget } from '../follower/follower-service.ts';
import { lockedVault } from '../governance/staked-vault.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { type ApiService, apiService } from './api-service.ts';
import type { WorkerContext } from '../../src/worker-context.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

interface VaultResponse {
  readonly data: { readonly transactions: readonly { readonly kind: string; readonly createdAt: string }[] };
}

test('a vault with over 1,000 transactions returns its own and the newest others, without reading transaction bytes', async () => {
  await using service = await apiService();
  const { vaultId } = await lockedVault(service, Array<number>(1100).fill(1));
  await service.sql.run`update chain_transactions set created_at = created_at + interval '1 hour'
      where id in (select id from chain_transactions where kind = 'stake' limit 999)`;
  using recorded = recordStatements();
  const { transactions } = (await service.api.get<VaultResponse>(`/vaults/${vaultId}`)).body.data;

  expect(transactions).toHaveLength(1000);
  expect(transactions.filter(({ kind }) => kind === 'create_vault')).toHaveLength(1);
  const times = transactions.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted());
  expect(new Set(times).size).toBe(2);
  const queries = recorded.statements().filter(({ text }) => text.includes('chain_transactions'));
  expect(queries.map(({ text }) => /cbor|\* from "chain_transactions"/.test(text))).toEqual([false]);
});

/** Rebuilds the creation of a vault, asking about the transactions that were given up in the given way. */
function rebuildCreation(service: ApiService, vaultId: string, transaction: Ledger['transaction']) {
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const ledger = createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5_000 });
  const context = {
    db: service.db,
    unitOfWork: createUnitOfWork(service.db, productionClock(wallClock), ids),
    ids,
    ledger: { ...ledger, transaction },
    networkState: createNetworkStateCache({ ledger, networkId: 0 }),
    keys,
    operatorBudget: unboundedBudget(),
    tokenMetadata: { image: defaultImage },
    networkId: 0 as const,
    onQuarantine: () => undefined,
    onSignatureRefused: () => undefined,
  } as unknown as WorkerContext;
  return prepareCreation(context, { vaultId, now: wallClock.now() });
}

test('a transaction is built again after hundreds were given up: the ledger is asked for those that can still be on it', async () => {
  await using service = await apiService();
  const gift = { address: keys.operator.address, lovelace: '100000000' };
  for (const each of [gift, gift]) await service.ledger.faucet(each);
  const { address } = await service.fundedWallet();
  const vaultId = await createVault(service, address);
  // The oldest block that no rollback reaches has slot 260.
  await service.sql.run`insert into blocks (height, hash, slot, made_at)
      values (1, 'b1', 260, now()), (2, 'b2', 270, now())`;
  await service.sql.run`update chain_transactions set state = 'failed', ttl_slot = 300, hash = lpad('300', 64, '0')
      where kind = 'create_vault'`;
  await service.sql.run`insert into chain_transactions
       select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
       'hash', lpad(n::text, 64, '0'), 'ttl_slot', n, 'state', 'expired'))).*
     from chain_transactions t, generate_series(1, 299) n where kind = 'create_vault'`;
  const asked: number[] = [];
  let [open, mostOpen] = [0, 0];
  const notThere = async (hash: string) => {
    asked.push(Number(hash));
    mostOpen = Math.max(mostOpen, (open += 1));
    await Promise.resolve();
    open -= 1;
    return null;
  };
  expect(await rebuildCreation(service, vaultId, notThere)).not.toBeNull();
  expect(asked.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, position) => 261 + position));
  expect(mostOpen).toBe(10);

  await service.sql.run`update chain_transactions set state = 'failed' where state = 'pending'`;
  const block = { blockHash: 'b2', blockHeight: 9, fee: 0n };
  const confirmed = (hash: string) =>
    Promise.resolve(Number(hash) === 295 ? { ...block, hash } : null) as ReturnType<Ledger['transaction']>;
  await expect(rebuildCreation(service, vaultId, confirmed)).rejects.toThrow('nothing replaces it');
});
