import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RunningLedger, startLedger } from '../../embedded/ledger/server.ts';
import { keyAddress, scriptAddress } from '../../src/cardano/scripts/address.ts';
import { buildAddAssets, buildInvest, deliveryDeposits } from '../../src/cardano/build/deposits.ts';
import {
  buildVaultNftMint,
  buildDelivery,
  buildLiquidityPayout,
  buildFtMint,
} from '../../src/cardano/build/settlement.ts';
import type { Payer } from '../../src/cardano/build/funding.ts';
import type { SigningKey } from '../../src/cardano/keys/keys.ts';
import { createLedger, type Ledger } from '../../src/cardano/ledger/ledger.ts';
import { depositScript, policyScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { scriptHash } from '../../src/cardano/scripts/native-script.ts';
import { ftUnit } from '../../src/cardano/tokens/fractional-token.ts';
import { type BuiltTransaction, outputUtxo } from '../../src/cardano/transaction.ts';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { keys, vault } from './sample-context.ts';

const contributor = keys.vaultKey(1);
const investor = keys.vaultKey(2);
let running: RunningLedger;
let ledger: Ledger;

beforeAll(async () => {
  running = await startLedger({
    blockMs: 0,
    fundings: [keys.operator, contributor, investor].map(({ keyHash }) => ({
      address: keyAddress(keyHash, 0),
      lovelace: 50_000_000n,
      count: 3,
    })),
  });
  ledger = createLedger({ baseUrl: `${running.url}/api/v0`, timeoutMs: 5_000 });
});
afterAll(() => running.close());

async function dev<Answer>(path: string, body: object): Promise<Answer> {
  const response = await fetch(`${running.url}/dev/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

async function read(path: string): Promise<unknown> {
  return (await fetch(`${running.url}/api/v0${path}`)).json();
}

/** How much of an asset each address holds. */
async function holdersOf(unit: string): Promise<Record<string, string>> {
  const holders = (await read(`/assets/${unit}/addresses`)) as { address: string; quantity: string }[];
  return Object.fromEntries(holders.map(({ address, quantity }) => [address, quantity]));
}

async function payer({ keyHash }: SigningKey): Promise<Payer> {
  const address = keyAddress(keyHash, 0);
  return { address, keyHash, utxos: await ledger.utxos(address) };
}

/** Signs, sends and mines; returns once the transaction is in a block. */
async function land(built: BuiltTransaction, ...signers: readonly SigningKey[]): Promise<BuiltTransaction> {
  expect(await ledger.submit(signTransaction(built.cbor, signers))).toEqual({ kind: 'accepted' });
  await dev('mine', { blocks: 1 });
  expect(await ledger.transaction(built.hash)).toMatchObject({ hash: built.hash, fee: built.fee });
  return built;
}

test('a vault is created, funded and settled on the ledger, and every wallet holds exactly its promised share', async () => {
  const context = { networkId: 0 as const, parameters: await ledger.protocolParameters() };
  const { slot } = await ledger.slotAnchor();
  const ttlSlot = slot + 600;
  const deadlineSlot = slot + 10_000;
  const policy = policyScript({ policyKeyHash: vault.policyKey.keyHash, deadlineSlot });
  const unit = ftUnit(scriptHash(policy), '415254');
  const vaultKeyHash = vault.key.keyHash;
  const deposits = deliveryDeposits(context.parameters);
  const depositOf = ({ keyHash }: SigningKey) => depositScript({ vaultKeyHash, ownerKeyHash: keyHash, deadlineSlot });
  const gift = { address: keyAddress(contributor.keyHash, 0), assets: [{ assetNameHex: '4e4654', quantity: '1' }] };
  const { policyId } = await dev<{ policyId: string }>('faucet', gift);
  await dev('mine', { blocks: 1 });

  await land(
    buildVaultNftMint(context, {
      operator: await payer(keys.operator),
      contractAddress: vault.custodyAddress,
      policy,
      policyKeyHash: vault.policyKey.keyHash,
      nft: { nameHex: '5661756c74', name: 'Vault' },
      terms: 'ab'.repeat(32),
      ttlSlot,
    }),
    keys.operator,
    vault.policyKey,
  );
  const added = await land(
    buildAddAssets(context, {
      owner: await payer(contributor),
      depositAddress: scriptAddress(depositOf(contributor), 0),
      assets: [{ unit: `${policyId}4e4654`, quantity: 1n }],
      deliveryDeposit: deposits.asset,
      ttlSlot,
    }),
    contributor,
  );
  const invested = await land(
    buildInvest(context, {
      investor: await payer(investor),
      depositAddress: scriptAddress(depositOf(investor), 0),
      lovelace: lovelace(10_000_000n),
      deliveryDeposit: deposits.investment,
      ttlSlot,
    }),
    investor,
  );
  const minted = await land(
    buildFtMint(context, {
      operator: await payer(keys.operator),
      policy,
      policyKeyHash: vault.policyKey.keyHash,
      ft: { nameHex: '415254', supply: 1_000_000n, decimals: 2, name: 'Art', ticker: 'ART' },
      settlementAddress: vault.settlementAddress,
      custodyAddress: vault.custodyAddress,
      plan: { terms: 'ab'.repeat(32), root: 'cd'.repeat(32), shares: 2 },
      ttlSlot,
    }),
    keys.operator,
    vault.policyKey,
  );
  const { transaction: delivered } = buildDelivery(context, {
    settlement: outputUtxo(minted, 0),
    settlementScript: vault.settlement,
    vaultKeyHash,
    custodyAddress: vault.custodyAddress,
    ftUnit: unit,
    deliveries: [
      { deposit: added, signer: contributor, invested: 0n, ft: 450_000n, share: 8_000_000n },
      { deposit: invested, signer: investor, invested: 10_000_000n, ft: 450_000n, share: 0n },
    ].map(({ deposit, signer, ft, share, ...rest }) => ({
      utxo: outputUtxo(deposit, 0),
      script: depositOf(signer),
      owner: keyAddress(signer.keyHash, 0),
      invested: lovelace(rest.invested),
      ft,
      lovelaceShare: lovelace(share),
    })),
    ttlSlot,
  });
  await land(delivered, vault.key);
  const { transaction: last } = buildLiquidityPayout(context, {
    settlement: outputUtxo(delivered, 0),
    float: outputUtxo(minted, 0).lovelace,
    settlementScript: vault.settlement,
    vaultKeyHash,
    liquidityAddress: vault.settlementAddress,
    custodyAddress: vault.custodyAddress,
    operatorAddress: keys.operator.address,
    ftUnit: unit,
    liquidity: { lovelace: lovelace(2_000_000n), ft: 100_000n },
    kept: { lovelace: lovelace(0n), ft: 0n },
    ttlSlot,
  });
  await land(last, vault.key);

  expect(await holdersOf(unit)).toEqual({
    [keyAddress(contributor.keyHash, 0)]: '450000',
    [keyAddress(investor.keyHash, 0)]: '450000',
    [vault.settlementAddress]: '100000',
  });
  expect(await holdersOf(`${policyId}4e4654`)).toEqual({ [vault.custodyAddress]: '1' });
  expect(await ledger.utxos(vault.settlementAddress)).toEqual([outputUtxo(last, 0)]);
  expect(await read(`/assets/${unit}`)).toMatchObject({ quantity: '1000000' });
});
