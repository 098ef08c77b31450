import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { execute, executeBody, type ProposalRead } from './execution-requests.ts';
import { addCustodyNft, type VaultWithCustody, vaultWithCustody, createPassedProposal } from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const PRICE = 600_000_000;

interface ExecutionResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

type Wallet = Pick<ReturnType<typeof newWallet>, 'address' | 'sign'>;

const addWitness = ({ data: { transaction } }: ExecutionResponse, signer: Wallet) =>
  service.api.post(`/transactions/${transaction.hash}/witnesses`, { witnessSet: signer.sign(transaction.unsignedTx) });

/** A sale whose vote named no buyer, frozen for a wallet that was not asked. */
async function freezeSaleTo(vault: VaultWithCustody, buyer: Wallet) {
  const villa = await addCustodyNft(service, vault);
  const id = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [villa] });
  const details = { ...villa, price: PRICE, buyer_address: buyer.address };
  const body = executeBody(vault.big, [vault.big, vault.middle], { type: 'sell_asset', details });
  const freeze = () => service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, body);
  const frozen = await freeze();
  expect(frozen).toMatchObject({ status: 201 });
  return { id, body, frozen: frozen.body, freeze };
}

/** Adds an asset of the wallet to another vault. */
async function addAssetElsewhere(wallet: Wallet & { policyId: string }, name: string) {
  const vaultId = await createVault(service, newWallet().address);
  return service.api.post(`/vaults/${vaultId}/assets`, {
    policy_id: wallet.policyId,
    asset_name: name,
    valuation_method: 'floor_price',
    metadata: {},
    wallet_address: wallet.address,
  });
}

test('a wallet named as buyer unasked may use its funds until it signs, and signing after they are spent is refused', async () => {
  const stranger = await service.fundedWallet({ Boat: '1' }, '900000000');
  const vault = await vaultWithCustody(service);
  const { id, body, frozen, freeze } = await freezeSaleTo(vault, stranger);
  for (const signer of [vault.big, vault.middle])
    expect(await addWitness(frozen, signer)).toMatchObject({ status: 200 });
  expect(await addAssetElsewhere(stranger, 'Boat')).toMatchObject({ status: 201 });

  expect(await addWitness(frozen, stranger)).toMatchObject(errorResponse(400, 'WALLET_FUNDS_IN_USE'));
  expect(await execute(service, id, body)).toMatchObject({
    status: 403,
    body: { error: { details: { present: 2, missing: 1, missingSigners: [stranger.address] } } },
  });
  expect(await freeze()).toMatchObject(errorResponse(400, 'INSUFFICIENT_FUNDS'));
  await service.ledger.faucet({ address: stranger.address, lovelace: '900000000' });
  await service.ledger.mine();
  const { body: refrozen } = await freeze();
  for (const signer of [vault.big, stranger, vault.middle]) {
    expect(await addWitness(refrozen, signer)).toMatchObject({ status: 200 });
  }
  expect(await execute(service, id, body)).toMatchObject({ status: 200 });
});

test('outputs a buyer has signed away are not spent by their other requests, and two sales to one buyer use different outputs', async () => {
  const buyer = await service.fundedWallet({ Boat: '1' }, '900000000');
  await service.ledger.faucet({ address: buyer.address, lovelace: '800000000' });
  await service.ledger.mine();
  const vault = await vaultWithCustody(service);
  const sales = [await freezeSaleTo(vault, buyer), await freezeSaleTo(vault, buyer)];
  for (const { frozen } of sales) expect(await addWitness(frozen, buyer)).toMatchObject({ status: 200 });
  expect(await addAssetElsewhere(buyer, 'Boat')).toMatchObject(errorResponse(400, 'ASSET_NOT_IN_WALLET'));
  for (const { id, body, frozen } of sales) {
    for (const signer of [vault.big, vault.middle])
      expect(await addWitness(frozen, signer)).toMatchObject({ status: 200 });
    expect(await execute(service, id, body)).toMatchObject({ status: 200 });
  }
});

test('a sale may be executed by its approved buyer, or by any buyer until it is frozen if the vote named none', async () => {
  const vault = await vaultWithCustody(service);
  const [buyer, other] = [signingWallet(), signingWallet()];
  const [asBuyer, asOther] = [await logIn(service, buyer), await logIn(service, other)];
  // The first frozen transaction leases one of the buyer's outputs, so the second sale needs another.
  for (const { address } of [buyer, buyer, other]) await service.ledger.faucet({ address, lovelace: '2000000000' });
  await service.ledger.mine();
  const villas = [await addCustodyNft(service, vault), await addCustodyNft(service, vault)];
  const sale = (asset: object) => ({ type: 'sell_asset', details: { ...asset, price: 500_000_000 } });
  const allowedTo = (wanted: string) => async (id: string, session: object) => {
    const { body } = await service.api.get<{ data: ProposalRead }>(`/proposals/${id}`, session);
    const found = body.data.allowedActions.find(({ action }) => action === wanted);
    return found?.reason ?? found?.allowed;
  };
  const [mayExecute, mayFreeze] = [allowedTo('execute'), allowedTo('freeze')];
  const attempt = (id: string, { address }: { address: string }, asset: object, session: object) => {
    const body = executeBody({ ...vault.big, address }, [vault.big, vault.middle], sale(asset));
    return service.api.post(`/proposals/${id}/execute`, body, session);
  };
  const terms = { price: 500_000_000, buyer_address: buyer.address };
  const fixedTerms = { action_type: 'sell_asset', affected_assets: [villas[0]], terms };
  const openTerms = { action_type: 'sell_asset', affected_assets: [villas[1]], terms: { price: 500_000_000 } };
  const [fixedId, openId] = [
    await createPassedProposal(service, vault, fixedTerms),
    await createPassedProposal(service, vault, openTerms),
  ];
  expect(await mayExecute(fixedId, asBuyer)).toBe(true);
  expect(await mayExecute(openId, asBuyer)).toBe(true);
  expect(await mayExecute(fixedId, asOther)).toBe('EXECUTOR_NOT_ELIGIBLE');
  expect(await mayExecute(openId, asOther)).toBe(true);

  const [notEligible, unsigned] = [
    errorResponse(403, 'EXECUTOR_NOT_ELIGIBLE'),
    errorResponse(403, 'INSUFFICIENT_SIGNATURES'),
  ];
  expect(await attempt(fixedId, other, villas[0]!, asOther)).toMatchObject(notEligible);
  expect(await attempt(fixedId, buyer, villas[0]!, asBuyer)).toMatchObject(unsigned);
  expect(await attempt(openId, buyer, villas[1]!, asBuyer)).toMatchObject(unsigned);
  expect(await mayExecute(openId, asOther)).toBe('EXECUTOR_NOT_ELIGIBLE');
  expect(await attempt(openId, other, villas[1]!, asOther)).toMatchObject(notEligible);
  expect(await mayExecute(openId, asBuyer)).toBe(true);
  expect([await mayFreeze(openId, asBuyer), await mayFreeze(openId, asOther)]).toEqual([true, 'EXECUTOR_NOT_ELIGIBLE']);

  // What an eligible member has frozen for the buyer, the buyer may execute and not replace.
  const frozenByOther = `update executions set frozen_by = $1 where proposal_id = $2`;
  await service.sql.query(frozenByOther, [vault.big.address, openId]);
  expect([await mayExecute(openId, asBuyer), await mayFreeze(openId, asBuyer)]).toEqual([
    true,
    'EXECUTOR_NOT_ELIGIBLE',
  ]);
  const action = sale({ ...villas[1], buyer_address: other.address });
  const replacing = executeBody({ ...vault.big, address: buyer.address }, [vault.big, vault.middle], action);
  expect(await service.api.post(`/proposals/${openId}/executions`, replacing, asBuyer)).toMatchObject(notEligible);

  // Two executions with the buyer have failed.
  await service.sql.run`insert into executions (id, proposal_id, vault_id, transaction_id, frozen_by, action, type,
       asset_ids, terms, cosigners,
       required_cosigners, partner, status, reason, created_at)
     select gen_random_uuid(), proposal_id, e.vault_id, t.id, frozen_by, action, type, asset_ids, terms, cosigners, required_cosigners,
       partner, 'FAILED', 'spent', e.created_at - interval '1 hour'
     from executions e, (select id from chain_transactions where id not in (select transaction_id from executions) limit 2) t
     where e.proposal_id = ${openId}`;
  const voided = `update executions set status = 'VOIDED', reason = 'replaced' where proposal_id = $1 and status = 'FROZEN'`;
  await service.sql.query(voided, [openId]);
  expect([await mayExecute(openId, asBuyer), await mayFreeze(openId, asBuyer)]).toEqual([
    'PARTNER_REFUSED',
    'PARTNER_REFUSED',
  ]);
  const refused = errorResponse(400, 'PARTNER_REFUSED');
  expect(await attempt(openId, buyer, villas[1]!, asBuyer)).toMatchObject(refused);
});
