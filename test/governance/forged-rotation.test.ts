import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import { custodyScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { type CosignerChange, cosignerAgreement, type SignedAgreement } from '../../src/rotation/rules.ts';
import { wallClock, defaultDurationBounds } from '../../src/platform/units/time.ts';
import type { RegisteredCosigners } from '../../src/vaults/rules/vault.ts';
import { changeVaultCustody, finishRotation } from '../../src/rotation/move-custody.ts';
import { advanceTermination } from '../../src/termination/advance-termination.ts';
import { openClaimsOf } from '../../src/termination/open-claims.ts';
import type { WorkerContext } from '../../src/worker-context.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { insertRotation, getRotation } from '../../src/rotation/queries.ts';
import { storedCosigners } from '../../src/platform/database/stored-json.ts';
import { getTermination } from '../../src/termination/queries/terminations.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import { vaultWithPot } from '../claims/vault-with-pot.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { recordTransaction } from './record-transaction.ts';
import { vaultWithTokens } from './vault-with-tokens.ts';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const now = wallClock.now();

/** A rotation of a settled vault that begins now, as whoever writes Postgres can record it. */
async function forgedRotation(of: {
  readonly key?: string;
  readonly present?: RegisteredCosigners;
  readonly cosigners: RegisteredCosigners | null;
  readonly agree?: (text: CosignerChange) => readonly SignedAgreement[];
}) {
  const { db, keys } = service;
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID });
  const vaultId = await vaultWithTokens(service, newWallet());
  await service.sql.run`update chain_transactions set state = 'final' where vault_id = ${vaultId}`;
  const { vaultKeyHash, contractAddress } = await getVault(db, vaultId);
  const present = of.present && JSON.stringify(storedCosigners(of.present));
  await service.sql.run`update vaults set custody = ${present} where id = ${vaultId}`;
  const guard = { vaultKeyHash: of.key ?? vaultKeyHash, cosigners: of.cosigners };
  const target = { ...guard, contractAddress: scriptAddress(custodyScript(guard), 0) };
  const id = randomUUID();
  const agreed = of.cosigners && of.agree?.({ vaultId, contractAddress, rotations: 0, cosigners: of.cosigners });
  const agreements = agreed ?? null;
  await unitOfWork((context) =>
    insertRotation(context, { id, vaultId, reason: 'forged', isUrgent: true, target, agreements, startsAt: now }),
  );
  await service.sql.run`update rotations set begun_at = announced_at where id = ${id}`;
  const change = async () => changeVaultCustody({ db, unitOfWork, keys, networkId: 0 }, await getRotation(db, id), now);
  return { vaultId, target, change };
}

const custodyOf = async (vaultId: string) => (await getVault(service.db, vaultId)).contractAddress;

test('a vault without cosigners gets none by a rotation, whoever announced it: nobody could refuse them', async () => {
  const thief = newWallet().keyHash;
  const alone = { from: now, fromSlot: 1 };
  const { vaultId, target, change } = await forgedRotation({ cosigners: { required: 1, keyHashes: [thief], alone } });
  await expect(change()).rejects.toThrow('has no cosigners');
  expect(await custodyOf(vaultId)).not.toBe(target.contractAddress);
});

test('cosigners of a vault are exchanged with the signatures of as many as have to sign, and by no row without them', async () => {
  const alone = { from: now, fromSlot: 1 };
  const [present, thief] = [signingWallet(), signingWallet()];
  const of = (wallet: typeof thief) => ({ required: 1, keyHashes: [wallet.keyHash], alone });
  const exchanged = { present: of(present), cosigners: of(thief) };
  const signedBy =
    (wallet: typeof thief, about: Partial<CosignerChange> = {}) =>
    (change: CosignerChange) => [
      { address: wallet.address, ...wallet.signData(wallet.address, cosignerAgreement({ ...change, ...about })) },
    ];
  const changed = async (agree?: (text: CosignerChange) => readonly SignedAgreement[]) => {
    const { vaultId, target, change } = await forgedRotation({ ...exchanged, ...(agree && { agree }) });
    await change();
    return (await custodyOf(vaultId)) === target.contractAddress;
  };
  await expect(changed()).rejects.toThrow('too few cosigners');
  await expect(changed(signedBy(thief))).rejects.toThrow('too few cosigners');
  await expect(changed(signedBy(present, { rotations: 1 }))).rejects.toThrow('too few cosigners');
  expect(await changed(signedBy(present))).toBe(true);
  const { vaultId, target, change } = await forgedRotation({ present: of(present), cosigners: of(present) });
  await change();
  expect(await custodyOf(vaultId)).toBe(target.contractAddress);
});

test('cosigners who stay are not alone sooner by a rotation', async () => {
  const wallet = signingWallet();
  const from = (fromSlot: number) => ({ required: 1, keyHashes: [wallet.keyHash], alone: { from: now, fromSlot } });
  const later = await forgedRotation({ present: from(1_000_000), cosigners: from(1_000_000) });
  await later.change();
  expect(await custodyOf(later.vaultId)).toBe(later.target.contractAddress);
  const sooner = await forgedRotation({ present: from(1_000_000), cosigners: from(1) });
  await expect(sooner.change()).rejects.toThrow('alone sooner');
  expect(await custodyOf(sooner.vaultId)).not.toBe(sooner.target.contractAddress);
});

test('a vault gets no key by a rotation that is not its own', async () => {
  const another = await getVault(service.db, await vaultWithTokens(service, newWallet()));
  for (const key of [another.vaultKeyHash, newWallet().keyHash]) {
    const { vaultId, target, change } = await forgedRotation({ key, cosigners: null });
    await expect(change()).rejects.toThrow('is not one of the keys');
    expect(await custodyOf(vaultId)).not.toBe(target.contractAddress);
  }
});

test('the end of a vault waits for a rotation that runs, and gathers the pot in the new custody when it is finished', async () => {
  const { db, sql, ledger } = service;
  const { vaultId } = await vaultWithPot(service, [{ address: newWallet().address, tokens: 5n }], { outputs: [] });
  await sql.run`update terminations set claims_opened_at = null, claim_deadline = null where vault_id = ${vaultId}`;
  const { vaultKeyHash, contractAddress } = await getVault(db, vaultId);
  const { txHash } = await ledger.faucet({ address: contractAddress, lovelace: '9000000' });
  await ledger.mine();
  await recordTransaction(service, vaultId, txHash, 'liquidity');
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID });
  const target = { vaultKeyHash, cosigners: null, contractAddress };
  const rotation = {
    id: randomUUID(),
    vaultId,
    reason: 'Yearly',
    isUrgent: true,
    target,
    agreements: null,
    startsAt: now,
  };
  await unitOfWork((context) => insertRotation(context, rotation));
  await sql.run`update rotations set begun_at = now(), changed_at = now() where id = ${rotation.id}`;
  await sql.run`update vaults set is_rotating = true where id = ${vaultId}`;
  const ofLedger = createLedger({ baseUrl: `${ledger.url}/api/v0`, timeoutMs: 5000 });
  const context = { db, unitOfWork, ledger: ofLedger, networkId: 0 } as unknown as WorkerContext;
  const stage = () => advanceTermination(context, { vaultId, now });
  const waiting = { step: 'end_proposals', waitsFor: 'rotation', prepares: false, until: null };
  expect(await stage()).toMatchObject(waiting);
  expect(await stage()).toMatchObject(waiting);
  await finishRotation({ unitOfWork }, await getRotation(db, rotation.id), now);
  // That wakes its workflow.
  const rows = await sql.run`select message ->> 'signal' as signal from workflow_notices
      where workflow_id = ${`vault-${vaultId}`} order by created_at desc, id desc limit 1`;
  expect(rows).toEqual([{ signal: 'transactionChanged' }]);
  expect(await stage()).toMatchObject({ step: 'gather_pot', prepares: true });
});

test('claims do not open with less than was gathered when a rollback undoes what was final a moment before', async () => {
  const { db, sql } = service;
  const holders = [{ address: newWallet().address, tokens: 5n }];
  const { vaultId } = await vaultWithPot(service, holders, { outputs: [9_000_000n, 8_000_000n] });
  await sql.run`update terminations set claims_opened_at = null, claim_deadline = null where vault_id = ${vaultId}`;
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID });
  const context = { unitOfWork, networkId: 0 as const, durationBounds: defaultDurationBounds };
  const open = () => openClaimsOf(context, vaultId);
  const openedAt = async () => (await getTermination(db, vaultId)).claimsOpenedAt;

  const rows = await sql.run<{ id: string }>`update chain_transactions set state = 'final'
      where vault_id = ${vaultId} and kind = 'gather_pot' returning id`;
  await sql.run`update chain_transactions set state = 'submitted' where id = ${rows[0]?.id}`;
  expect([await open(), await openedAt()]).toEqual([false, null]);
  await sql.run`update chain_transactions set state = 'final' where id = ${rows[0]?.id}`;
  expect([await open(), await openedAt()]).toEqual([true, expect.any(Number)]);
});
