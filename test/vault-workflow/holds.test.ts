import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { recordConfirmation } from '../../src/ledger-follower/effects/record-confirmation.ts';
import { quarantining } from '../../src/ledger-follower/effects.ts';
import { holdForOperator } from '../../src/vaults/holds.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import { vaultTransactions } from '../../src/transactions/queries/listed-transactions.ts';
import { signAsPlatform } from '../follower/sign-as-platform.ts';
import { apiService } from '../vaults/api-service.ts';
import { createVault, readVault } from '../vault-lifecycle/vault-requests.ts';
import { person } from '../vault-lifecycle/participants.ts';

test('a vault shows that its transactions fail again and again, until one is confirmed', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, person(195).address);
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const unitOfWork = createUnitOfWork(service.db, productionClock(wallClock), ids);
  const reasons = async () => (await readVault(service, vaultId)).holds.map(({ reason }) => reason);

  const hold = () => unitOfWork((context) => holdForOperator(context, vaultId, 'repeated_failures'));
  const block = { height: 7, hash: '7'.repeat(64), slot: 7, time: instant(0) };
  const land = async (kind: 'create_vault' | 'move_custody') => {
    const [transaction] = await vaultTransactions(service.db, vaultId, [kind]);
    if (!transaction) throw new Error(`the vault has no transaction ${kind}`);
    const quarantined: unknown[] = [];
    const note = (...what: unknown[]) => quarantined.push(what);
    const confirmation = { move: quarantining(note), networkId: 0, onSignatureRefused: note } as const;
    const signed = await signAsPlatform(service, transaction);
    await unitOfWork((context) => recordConfirmation(context, signed, block, confirmation));
    expect(quarantined).toEqual([]);
  };

  for (let times = 0; times < 2; times += 1) await hold();
  expect(await reasons()).toEqual(['repeated_failures']);
  await land('create_vault');
  expect(await reasons()).toEqual([]);
  const rows = await service.sql.run<{ type: string }>`select type from outbox
      where vault_id = ${vaultId} and type in ('VAULT_HELD', 'VAULT_RELEASED') order by recorded`;
  expect(rows.map(({ type }) => type)).toEqual(['VAULT_HELD', 'VAULT_RELEASED']);

  // A step that registered cosigners sign has a workflow of its own.
  await hold();
  await service.sql.run`update chain_transactions
      set kind = 'move_custody', owner_workflow = 'transaction-' || id, state = 'submitted'
      where vault_id = ${vaultId}`;
  await land('move_custody');
  expect(await reasons()).toEqual([]);
});
