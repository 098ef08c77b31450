import { expect, test } from '@jest/globals';
import { ttlSlot, wallet } from '../../../test/chain/sample-context.ts';
import { cosigner as staker, sale } from '../../../test/signing-policy/governance-samples.ts';
import { refusal } from '../../../test/signing-policy/refusal.ts';
import { other } from '../../../test/signing-policy/samples.ts';
import { instant } from '../../platform/units/time.ts';

const thief = wallet(66);

test('an execution needs the signatures of its cosigners and of its buyer', () => {
  const [cosigner, buyer] = [staker.key.keyHash, other.key.keyHash];
  const signedBy = (...keys: string[]) => refusal('execute', sale, { signing: { signedBy: new Set(keys) } });
  expect(signedBy(cosigner, buyer)).toBeNull();
  expect(signedBy(buyer)).toMatch(/0 of 1 cosigners/);
  expect(signedBy(buyer, thief.key.keyHash)).toMatch(/0 of 1 cosigners/);
  expect(signedBy(cosigner)).toMatch(/buyer, seller or holder/);
});

test('an execution counts cosigners who have staked on the ledger what was anchored with the proposal, or whom the vault registers', () => {
  const key = staker.key.keyHash;
  const { staked: honest, vault, vote } = sale.evidence;
  if (!honest) throw new Error('the vault of the sample registers nobody');
  const { supply } = honest;
  const staking = (amount: bigint) => ({ staked: { supply, byKey: new Map([[key, amount]]), unseen: new Map() } });
  const forged = (evidence: Partial<typeof sale.evidence>) => refusal('execute', sale, { evidence });
  expect(forged(staking(supply / 20n))).toBeNull();
  expect(forged(staking(supply / 20n - 1n))).toMatch(/0 of 1 cosigners/);
  expect(forged({ staked: null })).toMatch(/0 of 1 cosigners/);
  const { created } = vote;
  const anchored = (change: object) => ({
    vote: { ...vote, created: { ...created, fact: { ...created.fact, ...change } } },
  });
  expect(forged({ ...staking(0n), ...anchored({ thresholds: { cosigning: '0' } }) })).toMatch(/0 of 1 cosigners/);
  // Rows that ask for fewer than the proposal did are not heard.
  expect(forged({ requiredCosigners: 0, staked: null })).toMatch(/0 of 1 cosigners/);
  expect(forged(anchored({ requiredCosigners: 2 }))).toMatch(/1 of 2 cosigners/);
  const registered = (...keyHashes: string[]) => ({
    vault: { ...vault, cosigners: { required: 1, keyHashes, alone: { from: instant(0), fromSlot: 900_000_000 } } },
  });
  expect(forged({ ...registered(key), staked: null, ...anchored({ requiredCosigners: 2 }) })).toBeNull();
  expect(forged(registered(thief.key.keyHash))).toMatch(/0 of 1 cosigners/);
});

test('an execution waits for a ledger that hides what may be enough of its cosigners, unless something else refuses it', () => {
  const key = staker.key.keyHash;
  const supply = sale.evidence.staked!.supply;
  const hidden = [{ txHash: 'a'.repeat(64), index: 0 }];
  const hiding = (ofKey: string) => ({ staked: { supply, byKey: new Map(), unseen: new Map([[ofKey, hidden]]) } });
  const request = (evidence: Partial<typeof sale.evidence>, signedBy = sale.signedBy) =>
    refusal('execute', sale, { evidence, signing: { signedBy: new Set(signedBy) } });
  expect(() => request(hiding(key))).toThrow(expect.objectContaining({ code: 'LEDGER_UNAVAILABLE' }));
  expect(request({ ...hiding(key), lastSlot: ttlSlot - 1 })).toMatch(/after its execution phase/);
  expect(request({ ...hiding(key), marketValue: 100_000_002n })).toMatch(/less than half/);
  expect(request(hiding(key), [other.key.keyHash])).toMatch(/0 of 1 cosigners/);
  expect(request(hiding(thief.key.keyHash))).toMatch(/0 of 1 cosigners/);
  expect(request({ ...hiding(key), requiredCosigners: 2 })).toMatch(/0 of 2 cosigners/);
});
