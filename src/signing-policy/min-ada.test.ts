import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as governance from '../../test/signing-policy/governance-samples.ts';
import { refusal } from '../../test/signing-policy/refusal.ts';
import { move, other, owner, vault, vaultKeyHash } from '../../test/signing-policy/samples.ts';
import { context, operator, payer, ttlSlot, utxo, vault as sample } from '../../test/chain/sample-context.ts';
import { buildAssetHandOver } from '../cardano/build/execution.ts';
import { buildAssetReturn, buildAssetStaking } from '../cardano/build/staking.ts';
import { buildCustodyMove, custodyOutputs } from '../cardano/build/custody.ts';
import { minAda as minAdaOf } from '../cardano/build/draft.ts';
import { smallestOutputs } from '../cardano/build/outputs.ts';
import { lovelace } from '../platform/units/money.ts';
import type { ExecutionEvidence } from './evidence.ts';
import { addressBytes, minAdaApart } from './min-ada.ts';

const { parameters } = context;
const alone = { address: vault.custody, script: sample.custody, vaultKeyHash, cosigners: [], allCosign: true };
const custody = { ...alone, cosigners: [governance.cosigner.key.keyHash] };
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom('0', '7', 'a', 'f'), minLength: length, maxLength: length });
const unit = fc
  .tuple(
    hex(56),
    fc.integer({ min: 0, max: 32 }).chain((bytes) => hex(2 * bytes)),
  )
  .map((parts) => parts.join(''));
const quantity = fc.oneof(fc.bigInt({ min: 1n, max: 300n }), fc.bigInt({ min: 1n, max: 2n ** 63n }));
const assetsOf = (minLength: number, maxLength: number) =>
  fc
    .uniqueArray(fc.tuple(unit, quantity), { minLength, maxLength, selector: ([name]) => name })
    .map((all) => new Map(all));

/** Of an execution that moves these assets, which were anchored with its proposal. */
function evidenceOf(evidence: ExecutionEvidence, assets: ReadonlyMap<string, bigint>): ExecutionEvidence {
  const named = [...assets].map(([name, amount]) => ({ unit: name, quantity: String(amount) }));
  const { created } = evidence.vote;
  const vote = { ...evidence.vote, created: { ...created, fact: { ...created.fact, assets: named } } };
  return { ...evidence, assets, vote };
}

test('the min-ADA of one asset is counted as the builders count it', () => {
  fc.assert(
    fc.property(unit, quantity, (name, amount) => {
      const assets = new Map([[name, amount]]);
      for (const [address, bytes] of [
        [vault.custody, addressBytes.vault],
        [owner.address, addressBytes.longest],
      ] as const)
        expect(minAdaApart(parameters, assets, bytes)).toBe(
          minAdaOf(parameters, { address, lovelace: lovelace(0n), assets }),
        );
    }),
  );
});

test('what the builders make is signed, however little ADA the outputs of the vault hold', () => {
  const extra = fc.constantFrom(0n, 50_000n, 900_000n, 5_000_000n, 60_000_000n);
  fc.assert(
    fc.property(assetsOf(1, 8), assetsOf(0, 3), extra, fc.boolean(), (assets, kept, more, apart) => {
      const all = new Map([...kept, ...assets]);
      const outputs = apart
        ? custodyOutputs(parameters, custody, all)
        : smallestOutputs(parameters, custody.address, all);
      const holding = outputs.map((one, at) => utxo(one.address, one.lovelace + (at === 0 ? more : 0n), one.assets));
      const moving = { custody, assets, payer: operator(400_000_000n), ttlSlot };
      const { stakingOut, stakingBack, handOver } = governance;
      const out = buildAssetStaking(context, { ...moving, holding, stakingAddress: other.address });
      expect(
        refusal('execute', { ...stakingOut, built: out, evidence: evidenceOf(stakingOut.evidence, assets) }),
      ).toBeNull();
      const holder = payer(other, utxo(other.address, 90_000_000n, all));
      const back = buildAssetReturn(context, { ...moving, holder });
      expect(
        refusal('execute', { ...stakingBack, built: back, evidence: evidenceOf(stakingBack.evidence, assets) }),
      ).toBeNull();
      const handed = [...assets].map(([name, amount], at) => ({
        policyId: name.slice(0, 56),
        assetName: name.slice(56),
        quantity: amount,
        address: at % 2 === 0 ? other.address : owner.address,
      }));
      const given = buildAssetHandOver(context, {
        custody: alone,
        utxos: holding,
        assets: handed,
        claimsAddress: vault.claims,
        operator: operator(400_000_000n),
        ttlSlot,
      });
      const owed = handed.map(({ policyId, assetName, ...one }) => ({ ...one, unit: policyId + assetName }));
      expect(
        refusal('hand_over', { ...handOver, built: given, evidence: { ...handOver.evidence, handed: owed } }),
      ).toBeNull();
      // As when the ledger has come to ask for more.
      const poorer = holding.map((one, at) =>
        at % 2 === 0 ? { ...one, lovelace: lovelace((one.lovelace * 9n) / 10n) } : one,
      );
      const moved = buildCustodyMove(context, {
        utxos: [...poorer, utxo(vault.custody, 700_000n)],
        from: {
          kind: 'custody',
          address: vault.custody,
          script: sample.custody,
          keyHash: vaultKeyHash,
          cosigners: null,
        },
        to: move.evidence.vault.custody,
        described: { unit: handed.map(({ policyId, assetName }) => policyId + assetName)[0] ?? '', datum: { int: 1 } },
        operator: operator(400_000_000n),
        ttlSlot,
      });
      expect(refusal('move_custody', { ...move, built: moved })).toBeNull();
    }),
    { numRuns: 60 },
  );
});
