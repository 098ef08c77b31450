import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BuiltTransaction } from '../../src/cardano/transaction.ts';
import { instant } from '../../src/platform/units/time.ts';
import { releaseStakes } from '../../src/proposals/phases.ts';
import { advanceTermination } from '../../src/termination/advance-termination.ts';
import { prepareEndingStep } from '../../src/termination/termination-transactions.ts';
import { lockVault } from '../../src/vaults/windows.ts';
import { unendedWorkflows } from '../../src/operations/queries.ts';
import { proposalWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { send } from '../claims/vault-with-pot.ts';
import { doubleSpend } from '../follower/double-spend.ts';
import { sendAllToSelf } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { execute, executeBody } from './execution-requests.ts';
import { endingContextOf, quarantined, record, unitOfWorkOf } from './record-moves.ts';
import { recordTransaction } from './record-transaction.ts';
import { addCustodyNft, createPassedProposal, vaultWithCustody } from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

const PRICE = 600_000_000;

interface ExecutionResponse {
  readonly data: { readonly id: string; readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A sale that has passed; `send` submits an attempt. */
async function sellable() {
  const buyer = await service.fundedWallet({}, '900000000');
  const vault = await vaultWithCustody(service);
  const { big, middle } = vault;
  const villa = await addCustodyNft(service, vault);
  await service.sql.run`update vaults set counted_assets = 1 where id = ${vault.vaultId}`;
  const terms = { price: PRICE, buyer_address: buyer.address };
  const id = await createPassedProposal(
    service,
    vault,
    { action_type: 'sell_asset', affected_assets: [villa], terms },
    1,
  );
  const send = async () => {
    const body = executeBody(big, [big, middle], { type: 'sell_asset', details: { ...villa, price: PRICE } });
    const { body: frozen } = await service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, body);
    const { hash, unsignedTx } = frozen.data.transaction;
    for (const signer of [big, middle, buyer])
      await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet: signer.sign(unsignedTx) });
    expect(await execute(service, id, body)).toMatchObject({ status: 200 });
    return hash;
  };
  return { proposalId: id, vaultId: vault.vaultId, buyer, send };
}

/** A sale that was submitted: no worker runs, so the test decides what becomes of its transaction. */
async function sentSale() {
  const sale = await sellable();
  return { ...sale, hash: await sale.send() };
}

const fail = (hash: string) => record(service, hash, { to: 'failed', reason: 'an input was spent' });
const land = (hash: string) => record(service, hash, { to: 'confirmed' });
const rollBack = (hash: string) =>
  record(service, hash, { to: 'submitted', direction: 'rollback', block: null, reason: 'rolled back' });

interface Books {
  readonly proposal: string;
  readonly asset: string;
  readonly counted: number;
  readonly alarms: number;
}

async function booksOf({ proposalId, vaultId }: { proposalId: string; vaultId: string }): Promise<Books[]> {
  const rows = await service.sql.run<Books>`select p.status as proposal, a.status as asset,
       v.counted_assets as counted,
       (select count(*)::int from outbox o where o.vault_id = v.id and o.type = 'EXECUTION_LANDED_LATE') as alarms
     from proposals p join vaults v on v.id = p.vault_id join assets a on a.vault_id = v.id where p.id = ${proposalId} and v.id = ${vaultId}`;
  expect(quarantined).toEqual([]);
  return rows;
}

test('a sale that is confirmed after it failed has moved the asset, and its proposal is EXECUTED', async () => {
  const sale = await sentSale();
  const [before] = await booksOf(sale);
  await fail(sale.hash);
  expect(await booksOf(sale)).toEqual([before]);

  await land(sale.hash);
  expect(await booksOf(sale)).toEqual([{ proposal: 'EXECUTED', asset: 'RELEASED', counted: 0, alarms: 0 }]);
  await rollBack(sale.hash);
  expect(await booksOf(sale)).toEqual([before]);
  await land(sale.hash);
  expect(await booksOf(sale)).toMatchObject([{ proposal: 'EXECUTED', asset: 'RELEASED' }]);
});

test('a sale whose buyer a fork lets spend elsewhere has moved nothing, and is sold by the next attempt', async () => {
  const sale = await sellable();
  await doubleSpend(service, {
    send: async () => {
      const hash = await sale.send();
      await send(service, hash);
      return hash;
    },
    confirmed: async () => {
      expect(await booksOf(sale)).toMatchObject([{ proposal: 'EXECUTED', asset: 'RELEASED' }]);
    },
    spend: () => sendAllToSelf(service, sale.buyer),
  });
  expect(await booksOf(sale)).toEqual([{ proposal: 'PASSED', asset: 'LOCKED', counted: 1, alarms: 0 }]);
  await land(await sale.send());
  expect(await booksOf(sale)).toMatchObject([{ proposal: 'EXECUTED', asset: 'RELEASED' }]);
});

test('a sale that is confirmed after its proposal has failed has moved the asset all the same, with an alarm', async () => {
  const sale = await sentSale();
  await fail(sale.hash);
  await service.sql.run`update proposals
      set status = 'FAILED', failure_reason = 'execution_failed', ended_at = now() where id = ${sale.proposalId}`;
  await land(sale.hash);
  expect(await booksOf(sale)).toMatchObject([{ proposal: 'FAILED', asset: 'RELEASED', alarms: 1 }]);
  await rollBack(sale.hash);
  expect(await booksOf(sale)).toMatchObject([{ proposal: 'FAILED', asset: 'LOCKED' }]);
});

test('a sale that is confirmed while the next attempt was submitted counts, and the next one fails without a change', async () => {
  const sale = await sentSale();
  await fail(sale.hash);
  const next = await sale.send();
  expect(next).not.toBe(sale.hash);
  await land(sale.hash);
  const executed = [{ proposal: 'EXECUTED', asset: 'RELEASED' }];
  expect(await booksOf(sale)).toMatchObject(executed);
  await fail(next);
  expect(await booksOf(sale)).toMatchObject(executed);
});

/** A sale that needs no cosigner and whose vote named no buyer; `buy` is one attempt of a wallet, which the ledger refuses or includes. */
async function openSale() {
  const vault = await vaultWithCustody(service);
  const villa = await addCustodyNft(service, vault);
  await service.sql.run`update vaults set counted_assets = 1 where id = ${vault.vaultId}`;
  const details = { action_type: 'sell_asset', affected_assets: [villa], terms: { price: PRICE } };
  const id = await createPassedProposal(service, vault, details, 0);
  type Buyer = Awaited<ReturnType<typeof service.fundedWallet>>;
  const bodyFor = (buyer: Buyer) => executeBody(buyer, [], { type: 'sell_asset', details: { ...villa, price: PRICE } });
  const freeze = (buyer: Buyer) => service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, bodyFor(buyer));
  const buy = async (buyer: Buyer, outcome: (hash: string) => Promise<void>) => {
    const frozen = await freeze(buyer);
    expect(frozen).toMatchObject({ status: 201 });
    const { hash, unsignedTx } = frozen.body.data.transaction;
    await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet: buyer.sign(unsignedTx) });
    expect(await execute(service, id, bodyFor(buyer))).toMatchObject({ status: 200 });
    await outcome(hash);
  };
  return {
    proposalId: id,
    vaultId: vault.vaultId,
    freeze,
    buy,
    executeAs: (buyer: Buyer) => execute(service, id, bodyFor(buyer)),
  };
}

test('strangers who sign and spend their money elsewhere cannot fail a sale whose vote named no buyer, and are refused after two failures', async () => {
  const sale = await openSale();
  const strangers = [await service.fundedWallet({}, '900000000'), await service.fundedWallet({}, '900000000')];
  for (const stranger of strangers) {
    await sale.buy(stranger, fail);
    await sale.buy(stranger, fail);
    const refused = errorResponse(400, 'PARTNER_REFUSED');
    expect(await sale.freeze(stranger)).toMatchObject(refused);
    expect(await sale.executeAs(stranger)).toMatchObject(refused);
  }
  expect(await booksOf(sale)).toMatchObject([{ proposal: 'PASSED', asset: 'LOCKED' }]);

  await sale.buy(await service.fundedWallet({}, '900000000'), land);
  expect(await booksOf(sale)).toMatchObject([{ proposal: 'EXECUTED', asset: 'RELEASED' }]);
});

test('the fourth failure of a sale whose vote named the buyer fails it', async () => {
  const sale = await sentSale();
  await fail(sale.hash);
  for (let failures = 2; failures <= 4; failures += 1) {
    expect(await booksOf(sale)).toMatchObject([{ proposal: 'PASSED' }]);
    await fail(await sale.send());
  }
  expect(await booksOf(sale)).toMatchObject([{ proposal: 'FAILED' }]);
});

test('a programmed end waits for a liquidation that was sent, which names who gets what', async () => {
  const vault = await vaultWithCustody(service);
  const { vaultId } = vault;
  const villa = await addCustodyNft(service, vault);
  const id = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [villa] });
  await service.sql.query(
    `insert into executions (id, proposal_id, vault_id, transaction_id, frozen_by, action, type, asset_ids, terms, cosigners,
       required_cosigners, status, executed_by, created_at)
     select $1, $2, $3, (select id from chain_transactions where vault_id = $3 limit 1), '', '{}', 'LIQUIDATE', '{}', '{}',
       '[]', 0, 'SENT', '', now()`,
    [crypto.randomUUID(), id, vaultId],
  );
  const programmed = { type: 'PROGRAMMED', fdp: 0, duration: 60 };
  await service.sql.run`update vaults
      set termination = ${JSON.stringify(programmed)}, locked_at = now() - interval '1 h' where id = ${vaultId}`;
  const lock = () => lockVault(unitOfWorkOf(service), { vaultId, now: instant(Date.now()) });
  expect(await lock()).toMatchObject({ status: 'LOCKED', isTerminating: false, endsAt: null });
  await service.sql.run`update executions set status = 'FAILED', reason = 'a test' where vault_id = ${vaultId}`;
  expect(await lock()).toMatchObject({ isTerminating: true });
});

/** Fails unless the workflow of a proposal is started again, which had ended, and is missed if it is lost once more. */
async function expectResumed(proposalId: string): Promise<void> {
  const workflowId = proposalWorkflowId(proposalId);
  const rows = await service.sql.run<{ message: object }>`select message from workflow_notices
      where workflow_id = ${workflowId} order by id desc limit 1`;
  expect(rows).toMatchObject([{ message: { kind: 'start', workflow: 'proposal', proposalId, again: true } }]);
  await service.sql.run`update workflow_notices set sent_at = now() where workflow_id = ${workflowId}`;
  expect((await unendedWorkflows(service.db)).map((unended) => unended.workflowId)).toContain(workflowId);
}

/** A vault whose liquidation was final, which began its end, and is rolled back; `decision` is what is recorded of the end. */
async function undoneLiquidation() {
  const vault = await vaultWithCustody(service);
  const { vaultId } = vault;
  const id = await createPassedProposal(service, vault, { action_type: 'liquidate' }, 0);
  const body = executeBody(vault.big, [], { type: 'liquidate', details: {} });
  expect(await execute(service, id, body)).toMatchObject({ status: 200 });
  const rows = await service.sql.run<{ hash: string }>`select hash from chain_transactions
      where vault_id = ${vaultId} and kind = 'execute'`;
  const { hash = '' } = rows[0] ?? {};
  const decision = async () => {
    const found = await service.sql.query<{ because: string | null; ends: boolean; proposal: string }>(
      `select failed_because as because, exists (select from terminations where vault_id = v.id) as ends, p.status as proposal
        from vaults v join proposals p on p.vault_id = v.id where v.id = $1`,
      [vaultId],
    );
    expect(quarantined).toEqual([]);
    return found.rows[0];
  };
  const landFinally = async () => {
    await land(hash);
    expect(await decision()).toEqual({ because: 'liquidated', ends: false, proposal: 'EXECUTED' });
    await record(service, hash, { to: 'final' });
    expect(await decision()).toEqual({ because: 'liquidated', ends: true, proposal: 'EXECUTED' });
  };
  // One that is not final stops governance only while it is in a block.
  await land(hash);
  await rollBack(hash);
  expect(await decision()).toEqual({ because: null, ends: false, proposal: 'PASSED' });
  await landFinally();
  // The workflow of the proposal has ended.
  await releaseStakes(unitOfWorkOf(service), { proposalId: id, now: instant(Date.now()) });
  await rollBack(hash);
  expect(await decision()).toEqual({ because: 'liquidated', ends: true, proposal: 'PASSED' });
  // One that has read the end before the rollback does not release the stakes any more.
  await releaseStakes(unitOfWorkOf(service), { proposalId: id, now: instant(Date.now()) });
  await expectResumed(id);
  return { vaultId, hash, decision, landFinally };
}

test('a final liquidation that is rolled back and can be confirmed no more ends no vault, and ends it when it is confirmed after all', async () => {
  const { vaultId, hash, decision, landFinally } = await undoneLiquidation();
  const context = endingContextOf(service);
  const moment = { vaultId, now: instant(Date.now()) };
  // A step that was read before that records nothing, neither while the liquidation may still be confirmed, nor afterwards.
  const draft = () => Promise.resolve({ build: () => ({}) as BuiltTransaction });
  const gather = () => prepareEndingStep(context, moment, 'gather_pot', draft);
  await expect(gather()).rejects.toThrow('is not final any more');
  await fail(hash);
  expect(await decision()).toEqual({ because: null, ends: false, proposal: 'PASSED' });
  // Its workflow, which has begun to end the vault, governs it again.
  expect(await advanceTermination(context, moment)).toMatchObject({ step: 'settlement' });
  await expect(gather()).rejects.toThrow('does not end any more');
  await landFinally();
});

test('the end of a vault continues when its liquidation is lost after something was sent for it', async () => {
  const { vaultId, hash, decision } = await undoneLiquidation();
  await recordTransaction(service, vaultId, 'ab'.repeat(32), 'gather_pot');
  await fail(hash);
  expect(await decision()).toEqual({ because: 'liquidated', ends: true, proposal: 'PASSED' });
});
